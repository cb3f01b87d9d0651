#include "hostmetal/api/submission_order.hpp"

#import "hostmetal/api/command_buffer.h"

namespace hostmetal::api {

std::shared_ptr<SubmissionOrder::Place> SubmissionOrder::reserve() {
  auto place = std::make_shared<Place>();
  std::lock_guard lock(mutex_);
  places_.push_back(place);
  return place;
}

void SubmissionOrder::decide(const std::shared_ptr<Place> &place, HMCommandBuffer *buffer) {
  std::unique_lock lock(mutex_);
  place->committed = metalcore::objc::Retained<HMCommandBuffer *>::retain(buffer);
  place->is_decided = true;
  // Whoever is submitting sees this place before it stops; two at once could swap the order.
  if (is_submitting_)
    return;
  is_submitting_ = true;
  while (!places_.empty() && places_.front()->is_decided) {
    auto turn = std::move(places_.front()->committed);
    places_.pop_front();
    lock.unlock();
    [turn.get() hm_submit];
    turn = nullptr; // may be the last reference: not under the lock
    lock.lock();
  }
  is_submitting_ = false;
}

std::unique_ptr<SubmissionLimit::Slot> SubmissionLimit::take() {
  std::unique_lock lock(mutex_);
  given_back_.wait(lock, [this] { return free_ > 0; });
  --free_;
  lock.unlock();
  return std::make_unique<Slot>(shared_from_this());
}

void SubmissionLimit::give_back() {
  std::lock_guard lock(mutex_);
  ++free_;
  given_back_.notify_one();
}

} // namespace hostmetal::api
