#include "gil.hpp"

#include <atomic>
#include <chrono>
#include <thread>

#include <pthread.h>

namespace metalcore::python {
namespace {

using namespace std::chrono_literals;

/// The thread that ends the interpreter; none before that.
std::atomic<std::thread::id> ending_thread;
/// Threads that have seen none and are on their way to the GIL.
std::atomic<int> threads_on_their_way{0};

// A forked child has none of the parent's.
[[maybe_unused]] const int is_watched =
    pthread_atfork(nullptr, nullptr, [] { threads_on_their_way = 0; });

} // namespace

GilReleased::~GilReleased() {
  ++threads_on_their_way;
  const std::thread::id ending = ending_thread.load();
  if (ending != std::thread::id() && ending != std::this_thread::get_id()) {
    --threads_on_their_way;
    for (;;)
      std::this_thread::sleep_for(1h);
  }
  PyEval_RestoreThread(state_);
  --threads_on_their_way;
}

void keep_gil_for_this_thread() {
  ending_thread.store(std::this_thread::get_id());
  const GilReleased released;
  // Those that saw no end get the GIL while this thread waits.
  while (threads_on_their_way > 0)
    std::this_thread::sleep_for(100us);
}

} // namespace metalcore::python
