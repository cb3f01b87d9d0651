#pragma once

#include "metalcore/queue.hpp"

namespace metalcore {

/// A threadgroup size for a grid whose caller does not care: at most `most_threads`, in whole
/// multiples of `width` (a simdgroup) where the grid is large enough, and no larger along an axis
/// than the grid needs.
Size3 choose_group_size(const Size3 &threads, std::size_t width, std::size_t most_threads);

} // namespace metalcore
