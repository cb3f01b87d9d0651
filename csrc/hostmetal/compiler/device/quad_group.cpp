// Quadgroup operations on scalars: four neighbouring lanes of a simdgroup.
#include "lanes.hpp"

#define CONVERGENT __attribute__((convergent))

namespace lanes {
constexpr uint32_t quad_width = 4;
inline uint32_t quad() {
  return own_group(quad_width);
}
/// The lane of this quadgroup with that index in it; beyond it, no lane.
inline uint32_t quad_lane(uint32_t index) {
  return index < quad_width ? (own_lane() & ~(quad_width - 1)) + index : HM_SIMD_WIDTH;
}
inline uint32_t own_index() {
  return own_lane() % quad_width;
}
} // namespace lanes

using namespace lanes;

#define REDUCTION(name, form, Operation, T, suffix)                                                \
  CONVERGENT T name##_##T##_##Operation(T value) AIR(#name "." suffix);                            \
  T name##_##T##_##Operation(T value) {                                                            \
    return form<Operation>(value, quad());                                                         \
  }

#define SHUFFLE(name, index, T, suffix)                                                            \
  CONVERGENT T name##_##T(T value, uint16_t n) AIR(#name "." suffix);                              \
  T name##_##T(T value, uint16_t n) {                                                              \
    return shuffle(value, quad_lane(index));                                                       \
  }

#define FILL(name, distance, T, suffix)                                                            \
  CONVERGENT T name##_##T(T value, T fill, uint16_t delta, uint16_t modulo) AIR(#name "." suffix); \
  T name##_##T(T value, T fill, uint16_t delta, uint16_t modulo) {                                 \
    return shuffle_and_fill(value, fill, distance, modulo, quad_width);                            \
  }

#define MOVES(T, suffix)                                                                           \
  SHUFFLE(quad_shuffle, n, T, suffix)                                                              \
  SHUFFLE(quad_broadcast, n, T, suffix)                                                            \
  SHUFFLE(quad_shuffle_xor, own_index() ^ n, T, suffix)                                            \
  SHUFFLE(quad_shuffle_up, own_index() - n, T, suffix)                                             \
  SHUFFLE(quad_shuffle_down, own_index() + n, T, suffix)                                           \
  SHUFFLE(quad_shuffle_rotate_up, (own_index() - n) % quad_width, T, suffix)                       \
  SHUFFLE(quad_shuffle_rotate_down, (own_index() + n) % quad_width, T, suffix)                     \
  FILL(quad_shuffle_and_fill_up, -static_cast<int32_t>(delta), T, suffix)                          \
  FILL(quad_shuffle_and_fill_down, delta, T, suffix)                                               \
  CONVERGENT T quad_broadcast_first_##T(T value) AIR("quad_broadcast_first." suffix);              \
  T quad_broadcast_first_##T(T value) {                                                            \
    Exchange<T> values(value);                                                                     \
    return values[static_cast<uint32_t>(__builtin_ctz(values.active() & quad()))];                 \
  }

#define ARITHMETIC(T, suffix)                                                                      \
  REDUCTION(quad_sum, reduce, Sum, T, suffix)                                                      \
  REDUCTION(quad_product, reduce, Product, T, suffix)                                              \
  REDUCTION(quad_min, reduce_from_own, Minimum, T, suffix)                                         \
  REDUCTION(quad_max, reduce_from_own, Maximum, T, suffix)                                         \
  REDUCTION(quad_prefix_inclusive_sum, scan_inclusive, Sum, T, suffix)                             \
  REDUCTION(quad_prefix_exclusive_sum, scan_exclusive, Sum, T, suffix)                             \
  REDUCTION(quad_prefix_inclusive_product, scan_inclusive, Product, T, suffix)                     \
  REDUCTION(quad_prefix_exclusive_product, scan_exclusive, Product, T, suffix)

#define BITWISE(T, suffix)                                                                         \
  REDUCTION(quad_and, reduce, And, T, suffix)                                                      \
  REDUCTION(quad_or, reduce, Or, T, suffix)                                                        \
  REDUCTION(quad_xor, reduce, Xor, T, suffix)

namespace air {

#ifdef LANE_TYPE
#include "lane_type.inc"
#else

CONVERGENT bool quad_any(bool value) AIR("quad_any");
bool quad_any(bool value) {
  return reduce<Or>(static_cast<uint8_t>(value), quad()) != 0;
}
CONVERGENT bool quad_all(bool value) AIR("quad_all");
bool quad_all(bool value) {
  return reduce<And>(static_cast<uint8_t>(value), quad()) == 1;
}

CONVERGENT uint16_t quad_ballot(bool value) AIR("quad_ballot.i16");
uint16_t quad_ballot(bool value) {
  Exchange<uint8_t> values(value);
  uint32_t result = 0;
  for (uint32_t index = 0; index < quad_width; ++index)
    if (values.is_active(quad_lane(index)) && values[quad_lane(index)])
      result |= 1u << index;
  return static_cast<uint16_t>(result);
}

CONVERGENT uint16_t quad_active_threads_mask() AIR("quad_active_threads_mask.i16");
uint16_t quad_active_threads_mask() {
  uint32_t active = Exchange<uint8_t>(0).active() & quad();
  return static_cast<uint16_t>(active >> quad_lane(0));
}

CONVERGENT bool quad_is_first() AIR("quad_is_first");
bool quad_is_first() {
  uint32_t active = Exchange<uint8_t>(0).active() & quad();
  return static_cast<uint32_t>(__builtin_ctz(active)) == own_lane();
}

bool quad_vote_all(uint16_t vote) AIR("quad_vote_all.i16");
bool quad_vote_all(uint16_t vote) {
  return (vote & 0xf) == 0xf;
}
bool quad_vote_any(uint16_t vote) AIR("quad_vote_any.i16");
bool quad_vote_any(uint16_t vote) {
  return (vote & 0xf) != 0;
}

#endif
} // namespace air
