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
/// What work whose time is up may take until it ends.
constexpr seconds grace{3};
/// Of so many questions for the time, one is answered by a clock.
constexpr unsigned questions_per_look = 16;
/// The clock of the processor's time costs a call of the kernel, that of the time of day does not.
constexpr milliseconds between_looks{10};

/// Of the guarded work on a thread.
struct Watch {
  nanoseconds deadline;                 ///< of the thread's processor time; zero: none
  CompileEnd end = CompileEnd::crashed; ///< should it not finish
  bool is_time_up = false;
  unsigned questions = 0;
  steady_clock::time_point next_look;
  TimeLimited *limited = nullptr;
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

CompileEnd run_guarded(llvm::function_ref<void()> work, nanoseconds limit) {
  static std::once_flag once;
  std::call_once(once, install_handlers);
  Watch own;
  Watch *const outer = watch;
  if (!outer) {
    own.deadline = limit == nanoseconds::zero() ? limit : processor_time() + limit;
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
  return survived && own.is_time_up ? CompileEnd::out_of_time : end;
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

bool is_time_up() {
  if (!watch || watch->deadline == nanoseconds::zero())
    return false;
  const nanoseconds now = processor_time();
  if (now > watch->deadline + grace)
    leave(CompileEnd::out_of_time);
  watch->is_time_up = now > watch->deadline;
  if (watch->is_time_up && watch->limited)
    watch->limited->stop();
  return watch->is_time_up;
}

bool is_time_up_often() {
  if (!watch)
    return false;
  if (++watch->questions % questions_per_look != 0)
    return watch->is_time_up;
  const steady_clock::time_point now = steady_clock::now();
  if (now < watch->next_look)
    return watch->is_time_up;
  watch->next_look = now + between_looks;
  return is_time_up();
}

TimeLimited::TimeLimited() {
  if (watch)
    watch->limited = this;
}

TimeLimited::~TimeLimited() {
  if (watch)
    watch->limited = nullptr;
}

} // namespace hostmetal
