#include "hostmetal/api/compiler_calls.hpp"

#include "hostmetal/api/failure.hpp"

#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <string>

namespace hostmetal::api {

namespace {

// Longer than a compile that the compiler's own limits let pass; then exit goes on regardless.
constexpr std::chrono::seconds longest_wait{30};

struct Calls {
  std::mutex mutex;
  std::condition_variable ended;
  unsigned running = 0;
  bool is_exiting = false;
};

// Never destroyed: threads may still be inside when static objects go.
Calls &calls() {
  static Calls &calls = *new Calls;
  return calls;
}

void wait_for_calls() {
  const metalcore::fork::Section section;
  std::unique_lock lock(calls().mutex);
  calls().is_exiting = true;
  calls().ended.wait_for(lock, longest_wait, [] { return calls().running == 0; });
}

} // namespace

CompilerCall::CompilerCall() {
  const std::lock_guard lock(calls().mutex);
  if (calls().is_exiting)
    throw Failure(Failure::Kind::internal, "Nothing can be compiled while the process exits.");
  ++calls().running;
}

CompilerCall::~CompilerCall() {
  const std::lock_guard lock(calls().mutex);
  if (--calls().running == 0)
    calls().ended.notify_all();
}

void CompilerCall::guard_exit() {
  std::atexit(wait_for_calls);
}

} // namespace hostmetal::api
