#pragma once

#import <Foundation/Foundation.h>

#include "objc/retained.hpp"
#include "support/guarded.hpp"

#include <deque>
#include <memory>
#include <optional>

@class HMCommandBuffer;

namespace hostmetal::api {

/// Hands the command buffers of one queue on in the order in which they were enqueued. Thread-safe.
/// A forked child starts with an empty order: what its parent enqueued is the parent's.
class SubmissionOrder {
public:
  /// One enqueued command buffer.
  struct Place {
    explicit Place(uint64_t generation) : generation(generation) {}

    uint64_t generation; ///< of the process that it was enqueued in
    bool is_decided = false;
    metalcore::objc::Retained<HMCommandBuffer *> committed; ///< nil once decided: given up
  };

  /// The next place in the order.
  std::shared_ptr<Place> reserve();
  /// Fills the place, then submits every command buffer whose turn it is. A nil `buffer` gives the
  /// place up.
  void decide(const std::shared_ptr<Place> &place, HMCommandBuffer *buffer);

private:
  struct State {
    std::deque<std::shared_ptr<Place>> places;
    bool is_submitting = false; ///< a thread is at it, outside of the lock
    uint64_t generation = metalcore::fork::generation();

    void enter_process();
  };
  /// Takes the first place if it is decided; else the caller no longer is the one that submits.
  std::optional<metalcore::objc::Retained<HMCommandBuffer *>> next();

  metalcore::Guarded<State> state_;
};

} // namespace hostmetal::api
