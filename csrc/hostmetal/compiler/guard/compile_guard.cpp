#include "hostmetal/compiler/guard/compile_guard.hpp"

#include "support/linux/deep_stack.hpp"

#include <llvm/Support/CrashRecoveryContext.h>
#include <llvm/Support/ErrorHandling.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <mutex>
#include <new>
#include <optional>
#include <utility>

#include <sys/mman.h>

namespace hostmetal {
namespace {

using namespace std::chrono;

constexpr seconds default_time_limit{300};
/// What work that must end may take until it does.
constexpr seconds grace{3};
/// Address space that such work has left, where memory was what it lacked.
constexpr size_t reserve_size = size_t{32} << 20;
/// Of so many questions for the time, one is answered by a clock.
constexpr unsigned questions_per_look = 16;
/// The clock of the processor's time costs a call of the kernel, that of the time of day does not.
constexpr milliseconds between_looks{10};

nanoseconds processor_time() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return seconds(now.tv_sec) + nanoseconds(now.tv_nsec);
}

/// Memory that nobody touches. Not malloc's: a block of that size would change its settings.
class Reserve {
public:
  Reserve() {
    void *memory = mmap(nullptr, reserve_size, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    memory_ = memory == MAP_FAILED ? nullptr : memory;
  }
  ~Reserve() { give_up(); }
  Reserve(const Reserve &) = delete;
  Reserve &operator=(const Reserve &) = delete;

  /// False if there was none.
  bool give_up() { return memory_ && munmap(std::exchange(memory_, nullptr), reserve_size) == 0; }

private:
  void *memory_;
};

/// Of the guarded work on a thread.
struct Watch {
  explicit Watch(nanoseconds limit)
      : deadline(limit == nanoseconds::zero() ? nanoseconds::max() - grace
                                              : processor_time() + limit) {}

  /// Of several reasons, the first counts.
  void end_soon(CompileEnd reason) {
    if (must_end)
      return;
    must_end = true;
    why = reason;
    deadline = std::min(deadline, processor_time());
    next_look = {};
  }

  nanoseconds deadline;                 ///< of the thread's processor time
  CompileEnd end = CompileEnd::crashed; ///< should it not return
  bool must_end = false;
  CompileEnd why = CompileEnd::finished; ///< it must end
  bool may_throw = false;                ///< where memory is allocated
  unsigned questions = 0;
  steady_clock::time_point next_look;
  Stoppable *stoppable = nullptr;
  Reserve reserve;
};

thread_local Watch *watch = nullptr;

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

/// After it, `new` tries again. Exceptions do not pass through LLVM. On other threads, `new` does
/// what it did before.
void give_up_reserve_or_leave() {
  if (watch && !watch->may_throw) {
    if (watch->reserve.give_up()) {
      watch->end_soon(CompileEnd::out_of_memory);
      return;
    }
    leave(CompileEnd::out_of_memory);
  }
  throw std::bad_alloc();
}

void install_handlers() {
  llvm::CrashRecoveryContext::Enable();
  llvm::install_fatal_error_handler(leave_on_fatal_error);
  llvm::install_bad_alloc_error_handler(leave_on_bad_alloc);
  if (!std::get_new_handler())
    std::set_new_handler(give_up_reserve_or_leave);
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
  Watch *const outer = watch;
  std::optional<Watch> own;
  if (!outer)
    watch = &own.emplace(limit);
  bool survived = false;
  try {
    survived = run_in_context(work);
  } catch (const std::bad_alloc &) { // no memory for the stack
    watch->end = CompileEnd::out_of_memory;
  }
  CompileEnd end = CompileEnd::finished;
  if (!survived) // if told to end, in whatever way
    end = watch->must_end ? watch->why : watch->end;
  else if (own)
    end = own->why;
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

bool must_end() {
  if (!watch)
    return false;
  const nanoseconds now = processor_time();
  if (now > watch->deadline)
    watch->end_soon(CompileEnd::out_of_time);
  if (now > watch->deadline + grace)
    leave(watch->why);
  if (watch->must_end && watch->stoppable) {
    const bool outer = std::exchange(watch->may_throw, false);
    watch->stoppable->stop();
    watch->may_throw = outer;
  }
  return watch->must_end;
}

bool must_end_often() {
  if (!watch)
    return false;
  if (++watch->questions % questions_per_look != 0)
    return watch->must_end;
  const steady_clock::time_point now = steady_clock::now();
  if (now < watch->next_look)
    return watch->must_end;
  watch->next_look = now + between_looks;
  return must_end();
}

bool try_allocate(llvm::function_ref<void()> work) {
  if (!watch) {
    work();
    return true;
  }
  bool is_done = false;
  const bool outer = std::exchange(watch->may_throw, true);
  try {
    work();
    is_done = true;
  } catch (const std::bad_alloc &) {
    watch->reserve.give_up();
    watch->end_soon(CompileEnd::out_of_memory);
  }
  watch->may_throw = outer;
  return is_done;
}

Stoppable::Stoppable() {
  if (watch)
    watch->stoppable = this;
}

Stoppable::~Stoppable() {
  if (watch)
    watch->stoppable = nullptr;
}

} // namespace hostmetal
