#include "hostmetal/executor/cpu/grid.hpp"

#include <algorithm>
#include <cmath>

namespace hostmetal::cpu {
namespace {

// Handing out one batch costs about 0.1 microseconds, waking another thread about 5.
constexpr double min_batch_ns = 5'000;
constexpr double min_parallel_ns = 15'000;
// A batch of a kernel that never ran: threads take from a fraction of a nanosecond to microseconds.
constexpr uint64_t min_batch_of_unknown = 1024;
constexpr uint64_t max_batch = 64 * 1024;
// So many batches for each participant even out what they cost.
constexpr uint64_t batches_per_participant = 8;
// Rows of a regrouped grid begin at multiples of a cache line of the smallest elements.
constexpr uint32_t row_unit = 64;

uint32_t divide_up(uint32_t value, uint32_t unit) {
  return value / unit + (value % unit != 0);
}

/// Threads that one batch should have.
uint64_t batch_target(const GridRequest &request, double threads) {
  const bool is_known = request.nanoseconds_per_thread > 0;
  const double smallest = is_known ? min_batch_ns / request.nanoseconds_per_thread
                                   : static_cast<double>(min_batch_of_unknown);
  const double share =
      threads / static_cast<double>(request.participants * batches_per_participant);
  const double target = request.participants == 1 ? max_batch : std::max(share, smallest);
  return static_cast<uint64_t>(std::clamp(target, 1.0, static_cast<double>(max_batch)));
}

/// Groups of about `target` threads: parts of rows, or whole rows, or whole planes.
Size3 regroup(const Size3 &threads, uint64_t target) {
  Size3 size = {1, 1, 1};
  if (threads[0] > target) {
    // Shorter ones mean that a thread is so dear that alignment does not count.
    const uint64_t length = target < row_unit ? target : target / row_unit * row_unit;
    size[0] = static_cast<uint32_t>(length);
    return size;
  }
  size[0] = threads[0];
  size[1] = static_cast<uint32_t>(std::min<uint64_t>(target / size[0], threads[1]));
  if (size[1] == threads[1])
    size[2] = static_cast<uint32_t>(
        std::clamp<uint64_t>(target / (uint64_t{size[0]} * size[1]), 1, threads[2]));
  return size;
}

} // namespace

std::optional<GridPlan> plan_grid(const GridRequest &request) {
  const Size3 &threads = request.threads;
  const double thread_count = static_cast<double>(threads[0]) * threads[1] * threads[2];
  const uint64_t target = batch_target(request, thread_count);
  GridPlan plan{};
  plan.group_size =
      request.may_regroup ? regroup(threads, target) : request.threads_per_threadgroup;
  plan.group_count = 1;
  for (int axis = 0; axis < 3; ++axis) {
    plan.group_counts[axis] = divide_up(threads[axis], plan.group_size[axis]);
    if (__builtin_mul_overflow(plan.group_count, plan.group_counts[axis], &plan.group_count))
      return std::nullopt;
  }
  if (plan.group_count > INT64_MAX)
    return std::nullopt;
  const uint64_t group_threads =
      uint64_t{plan.group_size[0]} * plan.group_size[1] * plan.group_size[2];
  plan.batch = std::max<uint64_t>(1, target / group_threads);
  plan.is_parallel = request.participants > 1 && plan.group_count > plan.batch &&
                     (request.nanoseconds_per_thread == 0 ||
                      thread_count * request.nanoseconds_per_thread > min_parallel_ns);
  return plan;
}

GroupCursor::GroupCursor(const GridPlan &plan, const Size3 &threads, uint64_t begin)
    : plan_(plan), threads_(threads) {
  const Size3 &counts = plan.group_counts;
  position_[0] = static_cast<uint32_t>(begin % counts[0]);
  position_[1] = static_cast<uint32_t>(begin / counts[0] % counts[1]);
  position_[2] = static_cast<uint32_t>(begin / counts[0] / counts[1]);
}

void GroupCursor::describe(uint32_t (&origin)[3], uint32_t (&position)[3],
                           uint32_t (&size)[3]) const {
  for (int axis = 0; axis < 3; ++axis) {
    position[axis] = position_[axis];
    origin[axis] = position_[axis] * plan_.group_size[axis];
    size[axis] = std::min(plan_.group_size[axis], threads_[axis] - origin[axis]);
  }
}

void GroupCursor::advance() {
  for (int axis = 0; axis < 3; ++axis) {
    if (++position_[axis] < plan_.group_counts[axis])
      return;
    position_[axis] = 0;
  }
}

} // namespace hostmetal::cpu
