// Copies between device and threadgroup memory that a simdgroup makes. A copy is done when the call
// returns; the wait lets the lanes meet, so that each sees what the others have copied.
#include "lanes.hpp"

using namespace lanes;

#define CONVERGENT __attribute__((convergent))

namespace {

typedef uint64_t ulong2 __attribute__((ext_vector_type(2)));
typedef int64_t long2 __attribute__((ext_vector_type(2)));

/// The lanes that take part share the elements.
struct Share {
  uint64_t first, step;
};

CONVERGENT inline Share own_share() {
  uint32_t active = Exchange<uint8_t>(0).active();
  uint32_t before = active & ((1u << own_lane()) - 1);
  return {static_cast<uint64_t>(__builtin_popcount(before)),
          static_cast<uint64_t>(__builtin_popcount(active))};
}

inline void copy(void *to, const void *from, uint64_t bytes) {
  auto *target = static_cast<uint8_t *>(to);
  auto *source = static_cast<const uint8_t *>(from);
  for (uint64_t i = 0; i < bytes; ++i)
    target[i] = source[i];
}

inline int64_t clamp(int64_t x, int64_t last) {
  return x < 0 ? 0 : x > last ? last : x;
}

CONVERGENT inline void *copy_1d(uint64_t size, void *target, const void *source, uint64_t count) {
  Share share = own_share();
  for (uint64_t i = share.first; i < count; i += share.step)
    copy(static_cast<uint8_t *>(target) + i * size, static_cast<const uint8_t *>(source) + i * size,
         size);
  return target;
}

/// Fills the target's tile. Outside of the source's tile there are zeros, or (mode 1) the elements
/// at its edge.
CONVERGENT inline void *copy_2d(uint64_t size, void *target, uint64_t target_row,
                                uint64_t target_step, ulong2 target_tile, const void *source,
                                uint64_t source_row, uint64_t source_step, ulong2 source_tile,
                                long2 offset, int mode) {
  Share share = own_share();
  const auto width = static_cast<int64_t>(source_tile.x);
  const auto height = static_cast<int64_t>(source_tile.y);
  for (uint64_t i = share.first; i < target_tile.x * target_tile.y; i += share.step) {
    uint64_t column = i % target_tile.x, row = i / target_tile.x;
    int64_t x = static_cast<int64_t>(column) + offset.x, y = static_cast<int64_t>(row) + offset.y;
    uint8_t *to = static_cast<uint8_t *>(target) + (row * target_row + column * target_step) * size;
    if (mode == 1 && width > 0 && height > 0) {
      x = clamp(x, width - 1);
      y = clamp(y, height - 1);
    }
    if (x < 0 || x >= width || y < 0 || y >= height) {
      for (uint64_t k = 0; k < size; ++k)
        to[k] = 0;
      continue;
    }
    uint64_t place = static_cast<uint64_t>(y) * source_row + static_cast<uint64_t>(x) * source_step;
    copy(to, static_cast<const uint8_t *>(source) + place * size, size);
  }
  return target;
}

} // namespace

#define COPIES(spaces)                                                                             \
  CONVERGENT void *copy_1d_##spaces(uint64_t size, uint64_t alignment, void *target,               \
                                    const void *source, uint64_t count)                            \
      AIR("simdgroup_async_copy_1d." SPACES_##spaces);                                             \
  void *copy_1d_##spaces(uint64_t size, uint64_t, void *target, const void *source,                \
                         uint64_t count) {                                                         \
    return copy_1d(size, target, source, count);                                                   \
  }                                                                                                \
  CONVERGENT void *copy_2d_##spaces(                                                               \
      uint64_t size, uint64_t alignment, void *target, uint64_t target_row, uint64_t target_step,  \
      ulong2 target_tile, const void *source, uint64_t source_row, uint64_t source_step,           \
      ulong2 source_tile, long2 offset, int mode) AIR("simdgroup_async_copy_2d." SPACES_##spaces); \
  void *copy_2d_##spaces(uint64_t size, uint64_t, void *target, uint64_t target_row,               \
                         uint64_t target_step, ulong2 target_tile, const void *source,             \
                         uint64_t source_row, uint64_t source_step, ulong2 source_tile,            \
                         long2 offset, int mode) {                                                 \
    return copy_2d(size, target, target_row, target_step, target_tile, source, source_row,         \
                   source_step, source_tile, offset, mode);                                        \
  }

#define SPACES_to_threadgroup "p3i8.p1i8"
#define SPACES_to_device "p1i8.p3i8"

namespace air {
COPIES(to_threadgroup)
COPIES(to_device)

CONVERGENT void wait_simdgroup_events(int count, void **events) AIR("wait_simdgroup_events");
void wait_simdgroup_events(int, void **) {
  hm_simd_exchange(nullptr, 0);
}
} // namespace air
