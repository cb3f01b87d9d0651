#pragma once

#import <Foundation/Foundation.h>

#include "objc/retained.hpp"

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>

@class HMCommandBuffer;

namespace hostmetal::api {

/// Hands the command buffers of one queue on in the order in which they were enqueued. Thread-safe.
class SubmissionOrder {
public:
  /// One enqueued command buffer.
  struct Place {
    bool is_decided = false;                                ///< committed or given up
    metalcore::objc::Retained<HMCommandBuffer *> committed; ///< nil: given up
  };

  /// The next place in the order.
  std::shared_ptr<Place> reserve();
  /// Fills the place, then submits every command buffer whose turn it is. A nil `buffer` gives the
  /// place up.
  void decide(const std::shared_ptr<Place> &place, HMCommandBuffer *buffer);

private:
  std::mutex mutex_;
  std::deque<std::shared_ptr<Place>> places_;
  bool is_submitting_ = false; ///< a thread is at it, outside of the lock
};

/// How many command buffers of a queue may exist before they have completed. Thread-safe.
class SubmissionLimit : public std::enable_shared_from_this<SubmissionLimit> {
public:
  explicit SubmissionLimit(uint64_t limit) : free_(limit) {}

  /// Gives its share back when it is destroyed.
  class Slot {
  public:
    explicit Slot(std::shared_ptr<SubmissionLimit> limit) : limit_(std::move(limit)) {}
    ~Slot() { limit_->give_back(); }
    Slot(const Slot &) = delete;
    Slot &operator=(const Slot &) = delete;

  private:
    std::shared_ptr<SubmissionLimit> limit_;
  };
  /// Waits for a free slot.
  std::unique_ptr<Slot> take();

private:
  void give_back();

  std::mutex mutex_;
  std::condition_variable given_back_;
  uint64_t free_;
};

} // namespace hostmetal::api
