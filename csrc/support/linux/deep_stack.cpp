#include "support/linux/deep_stack.hpp"

#include "support/linux/annotated_stack.hpp"
#include "support/linux/context.hpp"

#include <array>
#include <cstdint>
#include <mutex>
#include <new>
#include <optional>

#include <sys/mman.h>
#include <unistd.h>

namespace metalcore {

namespace {

constexpr std::size_t sizes[] = {DeepStack::size, DeepStack::size / 8, DeepStack::size / 64};
// Most compiles need less: memory that was used once is warm for the next.
constexpr std::size_t kept_size = std::size_t{1} << 20;
constexpr std::size_t most_spare = 4;

struct Stack {
  std::byte *bottom = nullptr; ///< a guard page
  std::size_t size = 0;
  AnnotatedStack annotated;

  std::byte *top() const { return bottom + size; }
};

std::optional<Stack> map_stack(std::size_t size) {
  void *memory = mmap(nullptr, size, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (memory == MAP_FAILED)
    return std::nullopt;
  Stack stack{static_cast<std::byte *>(memory), size, {}};
  const auto guard = static_cast<std::size_t>(getpagesize());
  mprotect(memory, guard, PROT_NONE);
  stack.annotated.describe_fiber(stack.bottom + guard, size - guard);
  return stack;
}

void unmap(Stack &stack) {
  stack.annotated.forget_fiber();
  munmap(stack.bottom, stack.size);
}

/// Stacks for the next callers. Plainly locked: a library's own fork::Section within another
/// library's, the caller's, would wait for a fork that waits for it.
class SpareStacks {
public:
  std::optional<Stack> take() {
    const std::lock_guard lock(mutex_);
    return count_ > 0 ? std::optional(stacks_[--count_]) : std::nullopt;
  }
  /// False where there are enough.
  bool keep(const Stack &stack) {
    const std::lock_guard lock(mutex_);
    if (count_ == stacks_.size())
      return false;
    stacks_[count_++] = stack;
    return true;
  }

private:
  std::mutex mutex_;
  std::array<Stack, most_spare> stacks_{};
  std::size_t count_ = 0;
};

/// Never destroyed: threads in the background may compile while static objects go.
[[clang::no_destroy]] constinit SpareStacks spare_stacks;

Stack acquire() {
  if (const auto spare = spare_stacks.take())
    return *spare;
  for (const std::size_t size : sizes)
    if (const auto stack = map_stack(size))
      return *stack;
  throw std::bad_alloc();
}

void release(Stack stack) {
  madvise(stack.bottom, stack.size - kept_size, MADV_DONTNEED);
  if (!spare_stacks.keep(stack))
    unmap(stack);
}

thread_local const Stack *running = nullptr;

struct Call {
  void (*function)(void *);
  void *argument;
  AnnotatedStack caller_stack;
  StackContext caller = nullptr;
};

/// What a stack runs; it goes back to the caller's and is never continued.
METALCORE_NOT_INSTRUMENTED void stack_main(void *argument) {
  AnnotatedStack::after_switch(nullptr);
  auto &call = *static_cast<Call *>(argument);
  call.function(call.argument);
  StackContext abandoned;
  call.caller_stack.before_switch(nullptr);
  switch_context(&abandoned, call.caller);
  __builtin_unreachable();
}

} // namespace

void DeepStack::run(void (*function)(void *), void *argument) {
  const Stack stack = acquire();
  const Stack *outer = running;
  Call call{function, argument, {}};
  if (outer)
    call.caller_stack = outer->annotated;
  else
    call.caller_stack.describe_this_thread();
  running = &stack;
  void *saved = nullptr;
  stack.annotated.before_switch(&saved);
  switch_context(&call.caller, make_context(stack.top(), stack_main, &call));
  AnnotatedStack::after_switch(saved);
  running = outer;
  release(stack);
}

std::size_t DeepStack::left() noexcept {
  if (!running)
    return SIZE_MAX;
  return static_cast<std::size_t>(static_cast<std::byte *>(__builtin_frame_address(0)) -
                                  running->bottom);
}

} // namespace metalcore
