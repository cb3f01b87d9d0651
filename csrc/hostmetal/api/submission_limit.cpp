#include "hostmetal/api/submission_limit.hpp"

#include "support/fork.hpp"

namespace hostmetal::api {

SubmissionLimit::SubmissionLimit(uint32_t limit)
    : limit_(limit), generation_(metalcore::fork::generation()) {}

SubmissionLimit::Slot::Slot(std::shared_ptr<SubmissionLimit> limit)
    : limit_(std::move(limit)), generation_(metalcore::fork::generation()) {}

SubmissionLimit::Slot::~Slot() {
  if (generation_ != metalcore::fork::generation())
    return;
  --limit_->taken_;
  limit_->taken_.notify_one();
}

std::unique_ptr<SubmissionLimit::Slot> SubmissionLimit::take() {
  const uint64_t present = metalcore::fork::generation();
  if (generation_.exchange(present) != present)
    taken_ = 0;
  uint32_t taken = taken_;
  for (;;) {
    if (taken >= limit_) {
      taken_.wait(taken);
      taken = taken_;
    } else if (taken_.compare_exchange_weak(taken, taken + 1)) {
      return std::make_unique<Slot>(shared_from_this());
    }
  }
}

} // namespace hostmetal::api
