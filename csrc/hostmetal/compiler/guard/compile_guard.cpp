#include "hostmetal/compiler/guard/compile_guard.hpp"

#include "support/linux/deep_stack.hpp"

#include <llvm/Support/CrashRecoveryContext.h>
#include <llvm/Support/ErrorHandling.h>

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <mutex>
#include <new>

namespace hostmetal {
namespace {

using namespace std::chrono;

constexpr seconds default_time_limit{300};
/// Of so many questions for the time, one is answered by the clock.
constexpr unsigned questions_per_look = 1024;

/// Of the guarded work on a thread.
struct Watch {
  nanoseconds deadline;                 ///< of the thread's processor time; zero: none
  CompileEnd end = CompileEnd::crashed; ///< should it not finish
  unsigned questions = 0;
};

thread_local Watch *watch = nullptr;

nanoseconds processor_time() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return seconds(now.tv_sec) + nanoseconds(now.tv_nsec);
}

/// Does not return where guarded work runs.
void leave(CompileEnd end) {
  llvm::CrashRecoveryContext *context = llvm::CrashRecoveryContext::GetCurrent();
  if (!context)
    return;
  if (watch)
    watch->end = end;
  context->HandleExit(1);
}

/// LLVM ends the process after its handlers return; leaving the crash context does not return.
void leave_on_fatal_error(void *, const char *, bool) {
  leave(CompileEnd::crashed);
}

void leave_on_bad_alloc(void *, const char *, bool) {
  leave(CompileEnd::out_of_memory);
}

/// Exceptions do not pass through LLVM. On other threads, new does what it did before.
void leave_or_throw() {
  leave(CompileEnd::out_of_memory);
  throw std::bad_alloc();
}

void install_handlers() {
  llvm::CrashRecoveryContext::Enable();
  llvm::install_fatal_error_handler(leave_on_fatal_error);
  llvm::install_bad_alloc_error_handler(leave_on_bad_alloc);
  if (!std::get_new_handler())
    std::set_new_handler(leave_or_throw);
}

bool run_in_context(llvm::function_ref<void()> work) {
  bool survived = false;
  metalcore::DeepStack::run([&] {
    llvm::CrashRecoveryContext context;
    survived = context.RunSafely(work);
  });
  return survived;
}

} // namespace

seconds compile_time_limit() {
  static const seconds limit = [] {
    const char *text = std::getenv("HOSTMETAL_COMPILE_TIME_LIMIT");
    uint32_t value = 0;
    if (!text || std::from_chars(text, text + std::strlen(text), value).ec != std::errc())
      return default_time_limit;
    return seconds(value);
  }();
  return limit;
}

CompileEnd run_guarded(llvm::function_ref<void()> work, seconds limit) {
  static std::once_flag once;
  std::call_once(once, install_handlers);
  Watch own;
  Watch *const outer = watch;
  if (!outer) {
    own.deadline = limit == seconds::zero() ? nanoseconds::zero() : processor_time() + limit;
    watch = &own;
  }
  bool survived = false;
  try {
    survived = run_in_context(work);
  } catch (const std::bad_alloc &) { // no memory for the stack
    watch->end = CompileEnd::out_of_memory;
  }
  const CompileEnd end = survived ? CompileEnd::finished : watch->end;
  watch = outer;
  return end;
}

std::string describe(CompileEnd end) {
  switch (end) {
  case CompileEnd::finished:
    return "finished";
  case CompileEnd::crashed:
    break;
  case CompileEnd::out_of_memory:
    return "ran out of memory";
  case CompileEnd::out_of_time:
    return "took more than its limit of " + std::to_string(compile_time_limit().count()) +
           " s of processor time";
  }
  return "crashed";
}

void check_time() {
  if (watch && watch->deadline != nanoseconds::zero() && processor_time() > watch->deadline)
    leave(CompileEnd::out_of_time);
}

void check_time_often() {
  if (watch && ++watch->questions % questions_per_look == 0)
    check_time();
}

} // namespace hostmetal
