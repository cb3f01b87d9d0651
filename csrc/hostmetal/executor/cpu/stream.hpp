#pragma once

#include "hostmetal/executor/cpu/per_process.hpp"
#include "hostmetal/executor/executor.hpp"

namespace hostmetal::cpu {

/// A stream whose submissions run on a thread of its own, started with the first one. After a
/// failed command the rest of its submission is skipped, except for the signals, which others wait
/// for.
class CpuStream : public Stream {
public:
  /// `thread_count` threads run kernels, the stream's own among them.
  explicit CpuStream(uint32_t thread_count) : thread_count_(thread_count) {}
  /// Destroyed by one of its own callbacks, it leaves the rest of its work to its thread.
  ~CpuStream() override;

  /// Throws std::system_error when its thread cannot be started.
  void submit(std::vector<Command> commands, std::function<void()> scheduled,
              std::function<void(const Outcome &)> completed) override;

private:
  class Lane;
  /// Shared with the stream's thread.
  using SharedLane = std::shared_ptr<Lane>;
  struct LaneOfProcess {
    SharedLane lane = make_lane();
  };
  static SharedLane make_lane();

  const uint32_t thread_count_;
  PerProcess<LaneOfProcess> lane_;
};

} // namespace hostmetal::cpu
