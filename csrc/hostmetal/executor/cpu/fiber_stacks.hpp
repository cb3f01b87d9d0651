#pragma once

#include "hostmetal/image/abi.h"
#include "support/linux/annotated_stack.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace hostmetal::cpu {

/// The stacks of one worker's fibers: address space for all of them, memory for those used.
///
/// A stack holds `stack_size` bytes. What a kernel needs is known when it is compiled, and the
/// compiler refuses what does not fit, but for recursion: those functions look at `limit` when they
/// begin. A guard page below each stack ends the process where all this fails.
class FiberStacks {
public:
  static constexpr size_t stack_size = 64 * 1024;
  /// Below a stack's limit.
  static constexpr size_t reserve = HM_MAX_RECURSIVE_FRAME + 12 * 1024;

  /// Throws std::bad_alloc.
  FiberStacks();
  ~FiberStacks();
  FiberStacks(const FiberStacks &) = delete;
  FiberStacks &operator=(const FiberStacks &) = delete;

  /// A stack that is not in use. At most HM_MAX_THREADS_PER_THREADGROUP are in use at a time.
  uint32_t acquire() {
    if (free_.empty())
      prepare_next();
    const uint32_t stack = free_.back();
    free_.pop_back();
    return stack;
  }
  void release(uint32_t stack) { free_.push_back(stack); }

  /// Where the stack begins, growing down.
  std::byte *top(uint32_t stack) const;
  /// How far down recursion may reach.
  std::byte *limit(uint32_t stack) const { return bottom(stack) + reserve; }
  const metalcore::AnnotatedStack &annotated(uint32_t stack) const { return annotated_[stack]; }

private:
  std::byte *bottom(uint32_t stack) const;
  void prepare_next();

  size_t page_size_;
  size_t stride_;
  std::byte *memory_;
  std::vector<metalcore::AnnotatedStack> annotated_; // of the stacks used so far
  std::vector<uint32_t> free_;                       // last in, first out: the warmest goes first
  uint32_t guard_count_ = 0;
};

} // namespace hostmetal::cpu
