#pragma once

#include "hostmetal/executor/cpu/per_process.hpp"
#include "hostmetal/executor/executor.hpp"

#include <condition_variable>
#include <map>
#include <mutex>

namespace hostmetal::cpu {

class CpuEvent : public Event {
public:
  explicit CpuEvent(uint64_t value) : value_(value) {}

  uint64_t value() const override { return value_.load(std::memory_order_acquire); }
  void signal(uint64_t value) override;
  bool wait(uint64_t value, uint64_t timeout_ms) override;
  /// Callbacks run on one thread, one after the other, those for lower values first.
  void notify(uint64_t value, std::function<void(uint64_t)> callback) override;

private:
  struct Waiters {
    std::mutex mutex;
    std::condition_variable reached;
    std::multimap<uint64_t, std::function<void(uint64_t)>> callbacks; // by value
  };

  std::atomic<uint64_t> value_;
  PerProcess<Waiters> waiters_;
};

} // namespace hostmetal::cpu
