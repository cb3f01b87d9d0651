#pragma once

#include "hostmetal/executor/executor.hpp"

#include <atomic>

namespace hostmetal::cpu {

class CpuKernel : public Kernel {
public:
  CpuKernel(image::Kernel reflection, HmKernelCode code, std::shared_ptr<const void> owner)
      : reflection_(std::move(reflection)), code_(code), owner_(std::move(owner)) {}

  const image::Kernel &reflection() const override { return reflection_; }
  const HmKernelCode &code() const { return code_; }

  /// What a thread took lately, so that small dispatches wake nobody; 0 before the first one.
  double nanoseconds_per_thread() const {
    return nanoseconds_per_thread_.load(std::memory_order_relaxed);
  }
  void record(double nanoseconds_per_thread) const {
    const double before = this->nanoseconds_per_thread();
    nanoseconds_per_thread_.store(before == 0 ? nanoseconds_per_thread
                                              : (before + nanoseconds_per_thread) / 2,
                                  std::memory_order_relaxed);
  }

private:
  const image::Kernel reflection_;
  const HmKernelCode code_;
  const std::shared_ptr<const void> owner_;
  mutable std::atomic<double> nanoseconds_per_thread_{0};
};

} // namespace hostmetal::cpu
