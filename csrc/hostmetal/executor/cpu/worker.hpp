#pragma once

#include "hostmetal/executor/cpu/fiber_group.hpp"
#include "hostmetal/image/abi.h"

#include <memory>

namespace hostmetal::cpu {

/// What a thread needs to run threadgroups. Made and used by that thread only; takes memory with
/// the first kernel that wants it.
class Worker {
public:
  /// HM_MAX_THREADGROUP_MEMORY bytes, aligned to 64. What earlier threadgroups left in it is
  /// undefined to kernels, as on Metal.
  uint8_t *threadgroup_memory() { return threadgroup_memory_.bytes; }

  /// Throws std::bad_alloc.
  FiberGroup &fibers() {
    if (!fibers_)
      fibers_ = std::make_unique<FiberGroup>();
    return *fibers_;
  }

private:
  struct alignas(64) ThreadgroupMemory {
    uint8_t bytes[HM_MAX_THREADGROUP_MEMORY];
  };

  ThreadgroupMemory threadgroup_memory_;
  std::unique_ptr<FiberGroup> fibers_;
};

} // namespace hostmetal::cpu
