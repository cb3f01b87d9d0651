#include "gil.hpp"

#include <atomic>
#include <chrono>
#include <thread>

namespace metalcore::python {
namespace {

/// The thread that ends the interpreter; none before that.
std::atomic<std::thread::id> ending_thread;

} // namespace

GilReleased::~GilReleased() {
  const std::thread::id ending = ending_thread.load();
  while (ending != std::thread::id() && ending != std::this_thread::get_id()) {
    std::this_thread::sleep_for(std::chrono::hours(1));
  }
  PyEval_RestoreThread(state_);
}

void keep_gil_for_this_thread() {
  ending_thread.store(std::this_thread::get_id());
  // Threads that looked before are on their way to the GIL: they get it while this one waits.
  const GilReleased released;
  std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

} // namespace metalcore::python
