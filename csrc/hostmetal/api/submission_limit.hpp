#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

namespace hostmetal::api {

/// How many command buffers of a queue may exist before they have completed. Thread-safe. In a
/// forked child those of the parent do not count.
class SubmissionLimit : public std::enable_shared_from_this<SubmissionLimit> {
public:
  explicit SubmissionLimit(uint32_t limit);

  /// One command buffer's share, given back when it is destroyed.
  class Slot {
  public:
    explicit Slot(std::shared_ptr<SubmissionLimit> limit);
    ~Slot();
    Slot(const Slot &) = delete;
    Slot &operator=(const Slot &) = delete;

  private:
    std::shared_ptr<SubmissionLimit> limit_;
    uint64_t generation_;
  };
  /// Waits for a free slot.
  std::unique_ptr<Slot> take();

private:
  const uint32_t limit_;
  // Waited on as it is: a lock could be left behind, locked, in a forked child.
  std::atomic<uint32_t> taken_ = 0;
  std::atomic<uint64_t> generation_;
};

} // namespace hostmetal::api
