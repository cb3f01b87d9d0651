#pragma once

#include "hostmetal/executor/cpu/fiber_stacks.hpp"
#include "hostmetal/executor/executor.hpp"
#include "hostmetal/image/abi.h"
#include "support/linux/context.hpp"

#include <array>
#include <cstdint>

namespace hostmetal::cpu {
class FiberGroup;
}

/// A thread of the threadgroup that runs. Kernel code sees the head only.
struct HmThread {
  HmThreadHead head;
  hostmetal::cpu::FiberGroup *group;
  metalcore::StackContext context; // null until it has started
  uint32_t stack;                  // valid once it has started
};

namespace hostmetal::cpu {

/// Runs the threads of one threadgroup at a time, each on its own fiber, on the thread that owns
/// this. A fiber runs until it waits or returns, and switches straight to the next one.
///
/// Order: the lanes of a simdgroup run, lowest first, until each of them waits or has returned.
/// Then those at the lowest simdgroup operation meet there and go on. A simdgroup whose threads all
/// wait at the threadgroup's barrier makes room for the next one; when none is left, every thread
/// that has not returned is at the barrier, and it opens. So each wait ends: no order of barriers,
/// simdgroup operations and returns can deadlock.
class FiberGroup {
public:
  /// Throws std::bad_alloc.
  FiberGroup();

  /// Returns when all threads have ended; false when the stack of one of them overflowed. At most
  /// HM_MAX_THREADS_PER_THREADGROUP threads.
  bool run(const HmGroup &group, HmThreadFunction function);

  /// How the kernels reach the operations below.
  static const HmRuntime runtime;

private:
  struct SimdGroup {
    HmSimdFrame frame;
    uint32_t ready = 0;      // lanes that can run; among them the one that does
    uint32_t at_barrier = 0; // lanes
    uint32_t exchanging = 0; // lanes, at sites[lane]
    bool is_mixed = false;   // not all of them at the same site
    uint64_t sites[HM_SIMD_WIDTH];
    const void *values[HM_SIMD_WIDTH]; // on the lanes' stacks
    uint32_t sizes[HM_SIMD_WIDTH];
  };

  static void threadgroup_barrier(HmThread *thread);
  static const HmSimdFrame *simd_exchange(HmThread *thread, uint64_t site, const void *value,
                                          uint32_t size);
  static void log(HmLog *log, const char *subsystem, const char *category, uint32_t type,
                  const char *format, const void *arguments, uint64_t size);
  static void stack_overflow(HmThread *thread);
  static void fiber_main(void *self);

  void prepare(const HmGroup &group);
  SimdGroup &simdgroup_of(const HmThread &thread) {
    return simdgroups_[thread.head.index / HM_SIMD_WIDTH];
  }
  HmThread *next();
  void exchange(SimdGroup &simdgroup);
  void open_barrier();
  void suspend(HmThread &thread);
  void put_on(HmThread &thread, uint32_t stack);
  metalcore::StackContext context_of(HmThread &thread);
  HmThread *end(HmThread &thread);
  [[noreturn]] void leave(uint32_t stack, HmThread *next);

  FiberStacks stacks_;
  std::array<SimdGroup, HM_MAX_THREADS_PER_THREADGROUP / HM_SIMD_WIDTH> simdgroups_;
  std::array<HmThread, HM_MAX_THREADS_PER_THREADGROUP> threads_;
  const HmGroup *group_ = nullptr;
  HmThreadFunction function_ = nullptr;
  uint32_t simdgroup_count_ = 0;
  uint32_t runnable_ = 0; // simdgroups with lanes that are ready or exchanging
  uint32_t current_ = 0;  // the simdgroup that runs
  uint32_t alive_ = 0;    // threads that have not ended
  bool has_overflowed_ = false;
  HmThread *starting_ = nullptr;
  metalcore::StackContext caller_ = nullptr; // of run()
  metalcore::AnnotatedStack caller_stack_;
};

} // namespace hostmetal::cpu
