#include "core/group_size.hpp"

#include <algorithm>
#include <bit>

namespace metalcore {

namespace {

// Enough simdgroups to hide latency, few enough that a group of a small grid leaves none idle.
constexpr std::size_t good_threads = 256;

} // namespace

Size3 choose_group_size(const Size3 &threads, std::size_t width, std::size_t most_threads) {
  const std::size_t budget = std::bit_floor(std::clamp<std::size_t>(most_threads, 1, good_threads));
  const auto fits = [&](const Size3 &size) { return size[0] * size[1] * size[2] * 2 <= budget; };
  Size3 size{1, 1, 1};
  const auto grow = [&](std::size_t axis, std::size_t limit) {
    while (size[axis] < threads[axis] && size[axis] < limit && fits(size))
      size[axis] *= 2;
  };
  // A simdgroup lies along x, where neighbours share cache lines; then the group grows towards a
  // square, and what the other axes leave over goes to x.
  grow(0, std::max<std::size_t>(width, 1));
  grow(1, good_threads);
  grow(2, good_threads);
  grow(0, good_threads);
  return size;
}

} // namespace metalcore
