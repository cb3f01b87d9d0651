#include "hostmetal/executor/cpu/fiber_group.hpp"

#include "hostmetal/image/texture_lookup.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace hostmetal::cpu {

using metalcore::AnnotatedStack;
using metalcore::StackContext;

namespace {

/// Most operands have one of these sizes; a copy of a known size takes an instruction or two.
void copy_value(void *to, const void *from, uint32_t size) {
  switch (size) {
  case 4:
    std::memcpy(to, from, 4);
    break;
  case 8:
    std::memcpy(to, from, 8);
    break;
  case 16:
    std::memcpy(to, from, 16);
    break;
  default:
    std::memcpy(to, from, std::min(size, HM_SIMD_VALUE_BYTES));
  }
}

uint32_t lane_bit(const HmThread &thread) {
  return 1u << (thread.head.index % HM_SIMD_WIDTH);
}

} // namespace

const HmRuntime FiberGroup::runtime = {HM_ABI_VERSION,
                                       0,
                                       FiberGroup::threadgroup_barrier,
                                       FiberGroup::simd_exchange,
                                       FiberGroup::log,
                                       image::load_texel,
                                       image::store_texel,
                                       image::look_up_texture,
                                       FiberGroup::stack_overflow};

void FiberGroup::log(HmLog *log, const char *subsystem, const char *category, uint32_t type,
                     const char *format, const void *arguments, uint64_t size) {
  if (log != nullptr)
    reinterpret_cast<KernelLog *>(log)->write(
        {subsystem, category, type, format, {static_cast<const uint8_t *>(arguments), size}});
}

FiberGroup::FiberGroup() {
  caller_stack_.describe_this_thread();
  for (uint32_t index = 0; index < threads_.size(); ++index) {
    threads_[index].head.index = index;
    threads_[index].group = this;
  }
}

bool FiberGroup::run(const HmGroup &group, HmThreadFunction function) {
  group_ = &group;
  function_ = function;
  has_overflowed_ = false;
  prepare(group);
  if (alive_ == 0)
    return true;
  HmThread &first = *next();
  const StackContext context = context_of(first);
  void *saved = nullptr;
  stacks_.annotated(first.stack).before_switch(&saved);
  metalcore::switch_context(&caller_, context);
  AnnotatedStack::after_switch(saved);
  return !has_overflowed_;
}

void FiberGroup::prepare(const HmGroup &group) {
  HmThread *thread = threads_.data();
  for (uint32_t z = 0; z < group.size[2]; ++z)
    for (uint32_t y = 0; y < group.size[1]; ++y)
      for (uint32_t x = 0; x < group.size[0]; ++x, ++thread) {
        thread->head.position[0] = x;
        thread->head.position[1] = y;
        thread->head.position[2] = z;
        thread->context = nullptr;
      }
  alive_ = static_cast<uint32_t>(thread - threads_.data());
  current_ = 0;
  runnable_ = 0;
  simdgroup_count_ = (alive_ + HM_SIMD_WIDTH - 1) / HM_SIMD_WIDTH;
  for (uint32_t i = 0; i < simdgroup_count_; ++i) {
    SimdGroup &simdgroup = simdgroups_[i];
    const uint32_t lanes = std::min(alive_ - i * HM_SIMD_WIDTH, HM_SIMD_WIDTH);
    simdgroup.ready = ~0u >> (HM_SIMD_WIDTH - lanes);
    simdgroup.at_barrier = 0;
    simdgroup.exchanging = 0;
    runnable_ |= 1u << i;
  }
}

/// The thread to run; null when all have returned.
HmThread *FiberGroup::next() {
  for (;;) {
    SimdGroup &simdgroup = simdgroups_[current_];
    if (simdgroup.ready != 0)
      return &threads_[current_ * HM_SIMD_WIDTH + std::countr_zero(simdgroup.ready)];
    if (simdgroup.exchanging != 0) {
      exchange(simdgroup);
      continue;
    }
    runnable_ &= ~(1u << current_);
    if (runnable_ == 0) {
      if (alive_ == 0)
        return nullptr;
      open_barrier();
    }
    current_ = std::countr_zero(runnable_);
  }
}

/// Lets the lanes at the lowest site see each other's values and go on. The frame is free: the
/// lanes that met last have all called again, or returned.
void FiberGroup::exchange(SimdGroup &simdgroup) {
  uint32_t active = simdgroup.exchanging;
  if (simdgroup.is_mixed) {
    uint64_t lowest = UINT64_MAX;
    for (uint32_t lanes = simdgroup.exchanging; lanes != 0; lanes &= lanes - 1)
      lowest = std::min(lowest, simdgroup.sites[std::countr_zero(lanes)]);
    active = 0;
    for (uint32_t lanes = simdgroup.exchanging; lanes != 0; lanes &= lanes - 1)
      if (simdgroup.sites[std::countr_zero(lanes)] == lowest)
        active |= lanes & -lanes;
  }
  for (uint32_t lanes = active; lanes != 0; lanes &= lanes - 1) {
    const int lane = std::countr_zero(lanes);
    copy_value(simdgroup.frame.values[lane], simdgroup.values[lane], simdgroup.sizes[lane]);
  }
  simdgroup.frame.active = active;
  simdgroup.exchanging &= ~active;
  simdgroup.ready = active;
}

void FiberGroup::open_barrier() {
  for (uint32_t i = 0; i < simdgroup_count_; ++i) {
    SimdGroup &simdgroup = simdgroups_[i];
    if (simdgroup.at_barrier != 0)
      runnable_ |= 1u << i;
    simdgroup.ready = simdgroup.at_barrier;
    simdgroup.at_barrier = 0;
  }
}

void FiberGroup::put_on(HmThread &thread, uint32_t stack) {
  thread.stack = stack;
  thread.head.stack_limit = reinterpret_cast<const uint8_t *>(stacks_.limit(stack));
}

/// The context of a thread, on a stack of its own if it has not started.
StackContext FiberGroup::context_of(HmThread &thread) {
  if (thread.context != nullptr)
    return thread.context;
  starting_ = &thread;
  put_on(thread, stacks_.acquire());
  return metalcore::make_context(stacks_.top(thread.stack), fiber_main, this);
}

/// Runs others until `thread` is next.
METALCORE_NOT_INSTRUMENTED void FiberGroup::suspend(HmThread &thread) {
  HmThread *other = next();
  if (other == &thread)
    return;
  const StackContext context = context_of(*other);
  void *saved = nullptr;
  stacks_.annotated(other->stack).before_switch(&saved);
  metalcore::switch_context(&thread.context, context);
  AnnotatedStack::after_switch(saved);
}

void FiberGroup::threadgroup_barrier(HmThread *thread) {
  FiberGroup &group = *thread->group;
  SimdGroup &simdgroup = group.simdgroup_of(*thread);
  simdgroup.ready &= ~lane_bit(*thread);
  simdgroup.at_barrier |= lane_bit(*thread);
  group.suspend(*thread);
}

const HmSimdFrame *FiberGroup::simd_exchange(HmThread *thread, uint64_t site, const void *value,
                                             uint32_t size) {
  FiberGroup &group = *thread->group;
  SimdGroup &simdgroup = group.simdgroup_of(*thread);
  const uint32_t lane = thread->head.index % HM_SIMD_WIDTH;
  if (simdgroup.exchanging == 0)
    simdgroup.is_mixed = false;
  else if (simdgroup.sites[std::countr_zero(simdgroup.exchanging)] != site)
    simdgroup.is_mixed = true;
  simdgroup.ready &= ~(1u << lane);
  simdgroup.exchanging |= 1u << lane;
  simdgroup.sites[lane] = site;
  simdgroup.values[lane] = value;
  simdgroup.sizes[lane] = size;
  group.suspend(*thread);
  return &simdgroup.frame;
}

/// What a stack runs: the thread that was started on it, then others that have not started yet.
METALCORE_NOT_INSTRUMENTED void FiberGroup::fiber_main(void *self) {
  AnnotatedStack::after_switch(nullptr);
  auto &group = *static_cast<FiberGroup *>(self);
  HmThread *thread = group.starting_;
  const uint32_t stack = thread->stack;
  for (;;) {
    // After an overflow the dispatch has failed: those that are to start need not.
    if (!group.has_overflowed_)
      group.function_(group.group_, thread);
    thread = group.end(*thread);
    if (thread == nullptr || thread->context != nullptr)
      group.leave(stack, thread);
    group.put_on(*thread, stack);
  }
}

/// The thread has ended; the one to run next, null when it was the last.
HmThread *FiberGroup::end(HmThread &thread) {
  simdgroup_of(thread).ready &= ~lane_bit(thread);
  --alive_;
  return next();
}

/// What lies on the thread's stack is given up.
METALCORE_NOT_INSTRUMENTED void FiberGroup::stack_overflow(HmThread *thread) {
  FiberGroup &group = *thread->group;
  const uint32_t stack = thread->stack;
  group.has_overflowed_ = true;
  HmThread *next = group.end(*thread);
  // Before the running stack is given back, so that it is not the one.
  if (next != nullptr)
    next->context = group.context_of(*next);
  group.leave(stack, next);
}

/// Gives the running stack back and continues `next`, or run() when it is null.
METALCORE_NOT_INSTRUMENTED void FiberGroup::leave(uint32_t stack, HmThread *next) {
  stacks_.release(stack);
  const AnnotatedStack &target = next ? stacks_.annotated(next->stack) : caller_stack_;
  StackContext abandoned;
  target.before_switch(nullptr);
  metalcore::switch_context(&abandoned, next ? next->context : caller_);
  __builtin_unreachable();
}

} // namespace hostmetal::cpu
