#pragma once

#include "hostmetal/executor/executor.hpp"

#include <optional>

namespace hostmetal::cpu {

/// How the threads of a dispatch are handed out: groups of equal size (but at the grid's edges),
/// and so many groups at a time.
struct GridPlan {
  Size3 group_size;     ///< threads
  Size3 group_counts;   ///< groups along each axis
  uint64_t group_count; ///< all of them; below 2^63
  uint64_t batch;       ///< groups, at least 1
  bool is_parallel;     ///< worth the help of other threads
};

struct GridRequest {
  Size3 threads; ///< of the grid; none may be 0
  Size3 threads_per_threadgroup;
  bool may_regroup;              ///< the threadgroups mean nothing to the kernel
  uint32_t participants;         ///< threads that can run groups
  double nanoseconds_per_thread; ///< measured before; 0: unknown
};

/// Empty when the grid has more groups than can be counted.
std::optional<GridPlan> plan_grid(const GridRequest &request);

/// Walks over groups [begin, end) of a plan, x first.
class GroupCursor {
public:
  GroupCursor(const GridPlan &plan, const Size3 &threads, uint64_t begin);
  /// Where the group begins, its place among the groups, and its size.
  void describe(uint32_t (&origin)[3], uint32_t (&position)[3], uint32_t (&size)[3]) const;
  void advance();

private:
  const GridPlan &plan_;
  const Size3 &threads_;
  Size3 position_;
};

} // namespace hostmetal::cpu
