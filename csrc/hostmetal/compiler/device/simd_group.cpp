// Simdgroup operations on scalars; the lowering expands those on vectors.
#include "lanes.hpp"

using namespace lanes;

#define CONVERGENT __attribute__((convergent))

#define REDUCTION(name, form, Operation, T, suffix)                                                \
  CONVERGENT T name##_##T##_##Operation(T value) AIR(#name "." suffix);                            \
  T name##_##T##_##Operation(T value) {                                                            \
    return form<Operation>(value, ~0u);                                                            \
  }

#define MOVES(T, suffix)                                                                           \
  CONVERGENT T simd_shuffle_##T(T value, uint16_t lane) AIR("simd_shuffle." suffix);               \
  T simd_shuffle_##T(T value, uint16_t lane) {                                                     \
    return shuffle(value, lane);                                                                   \
  }                                                                                                \
  CONVERGENT T simd_broadcast_##T(T value, uint16_t lane) AIR("simd_broadcast." suffix);           \
  T simd_broadcast_##T(T value, uint16_t lane) {                                                   \
    return shuffle(value, lane);                                                                   \
  }                                                                                                \
  CONVERGENT T simd_broadcast_first_##T(T value) AIR("simd_broadcast_first." suffix);              \
  T simd_broadcast_first_##T(T value) {                                                            \
    Exchange<T> values(value);                                                                     \
    return values[static_cast<uint32_t>(__builtin_ctz(values.active()))];                          \
  }                                                                                                \
  CONVERGENT T simd_shuffle_xor_##T(T value, uint16_t mask) AIR("simd_shuffle_xor." suffix);       \
  T simd_shuffle_xor_##T(T value, uint16_t mask) {                                                 \
    return shuffle(value, own_lane() ^ mask);                                                      \
  }                                                                                                \
  CONVERGENT T simd_shuffle_up_##T(T value, uint16_t delta) AIR("simd_shuffle_up." suffix);        \
  T simd_shuffle_up_##T(T value, uint16_t delta) {                                                 \
    return shuffle(value, own_lane() - delta);                                                     \
  }                                                                                                \
  CONVERGENT T simd_shuffle_down_##T(T value, uint16_t delta) AIR("simd_shuffle_down." suffix);    \
  T simd_shuffle_down_##T(T value, uint16_t delta) {                                               \
    return shuffle(value, own_lane() + delta);                                                     \
  }                                                                                                \
  CONVERGENT T simd_rotate_up_##T(T value, uint16_t delta) AIR("simd_shuffle_rotate_up." suffix);  \
  T simd_rotate_up_##T(T value, uint16_t delta) {                                                  \
    return shuffle(value, (own_lane() - delta) % HM_SIMD_WIDTH);                                   \
  }                                                                                                \
  CONVERGENT T simd_rotate_down_##T(T value, uint16_t delta)                                       \
      AIR("simd_shuffle_rotate_down." suffix);                                                     \
  T simd_rotate_down_##T(T value, uint16_t delta) {                                                \
    return shuffle(value, (own_lane() + delta) % HM_SIMD_WIDTH);                                   \
  }                                                                                                \
  CONVERGENT T simd_fill_up_##T(T value, T fill, uint16_t delta, uint16_t modulo)                  \
      AIR("simd_shuffle_and_fill_up." suffix);                                                     \
  T simd_fill_up_##T(T value, T fill, uint16_t delta, uint16_t modulo) {                           \
    return shuffle_and_fill(value, fill, -static_cast<int32_t>(delta), modulo, HM_SIMD_WIDTH);     \
  }                                                                                                \
  CONVERGENT T simd_fill_down_##T(T value, T fill, uint16_t delta, uint16_t modulo)                \
      AIR("simd_shuffle_and_fill_down." suffix);                                                   \
  T simd_fill_down_##T(T value, T fill, uint16_t delta, uint16_t modulo) {                         \
    return shuffle_and_fill(value, fill, delta, modulo, HM_SIMD_WIDTH);                            \
  }

#define ARITHMETIC(T, suffix)                                                                      \
  REDUCTION(simd_sum, reduce, Sum, T, suffix)                                                      \
  REDUCTION(simd_product, reduce, Product, T, suffix)                                              \
  REDUCTION(simd_min, reduce_from_own, Minimum, T, suffix)                                         \
  REDUCTION(simd_max, reduce_from_own, Maximum, T, suffix)                                         \
  REDUCTION(simd_prefix_inclusive_sum, scan_inclusive, Sum, T, suffix)                             \
  REDUCTION(simd_prefix_exclusive_sum, scan_exclusive, Sum, T, suffix)                             \
  REDUCTION(simd_prefix_inclusive_product, scan_inclusive, Product, T, suffix)                     \
  REDUCTION(simd_prefix_exclusive_product, scan_exclusive, Product, T, suffix)

#define BITWISE(T, suffix)                                                                         \
  REDUCTION(simd_and, reduce, And, T, suffix)                                                      \
  REDUCTION(simd_or, reduce, Or, T, suffix)                                                        \
  REDUCTION(simd_xor, reduce, Xor, T, suffix)

namespace air {

#ifdef LANE_TYPE
#include "lane_type.inc"
#else

CONVERGENT bool simd_any(bool value) AIR("simd_any");
bool simd_any(bool value) {
  return reduce<Or>(static_cast<uint8_t>(value), ~0u) != 0;
}
CONVERGENT bool simd_all(bool value) AIR("simd_all");
bool simd_all(bool value) {
  return reduce<And>(static_cast<uint8_t>(value), ~0u) == 1;
}

CONVERGENT uint64_t simd_ballot(bool value) AIR("simd_ballot.i64");
uint64_t simd_ballot(bool value) {
  Exchange<uint8_t> values(value);
  uint32_t result = 0;
  for (uint32_t lane = 0; lane < HM_SIMD_WIDTH; ++lane)
    if (values.is_active(lane) && values[lane])
      result |= 1u << lane;
  return result;
}

CONVERGENT uint64_t simd_active_threads_mask() AIR("simd_active_threads_mask.i64");
uint64_t simd_active_threads_mask() {
  return Exchange<uint8_t>(0).active();
}

CONVERGENT bool simd_is_first() AIR("simd_is_first");
bool simd_is_first() {
  uint32_t active = Exchange<uint8_t>(0).active();
  return static_cast<uint32_t>(__builtin_ctz(active)) == own_lane();
}

bool simd_is_helper_thread() AIR("simd_is_helper_thread");
bool simd_is_helper_thread() {
  return false;
}

// Votes carry a ballot.
bool simd_vote_all(uint64_t vote) AIR("simd_vote_all.i64");
bool simd_vote_all(uint64_t vote) {
  return static_cast<uint32_t>(vote) == ~0u;
}
bool simd_vote_any(uint64_t vote) AIR("simd_vote_any.i64");
bool simd_vote_any(uint64_t vote) {
  return static_cast<uint32_t>(vote) != 0;
}

uint16_t simdgroup_size() AIR("get_simdgroup_size.i16");
uint16_t simdgroup_size() {
  return HM_SIMD_WIDTH;
}
uint32_t simdgroup_size_32() AIR("get_simdgroup_size.i32");
uint32_t simdgroup_size_32() {
  return HM_SIMD_WIDTH;
}

// Written only inside assumptions, where false would make the program undefined.
bool is_uniform_bool(bool) AIR("is_uniform.i1");
bool is_uniform_bool(bool) {
  return true;
}
bool is_uniform_word(uint32_t) AIR("is_uniform.i32");
bool is_uniform_word(uint32_t) {
  return true;
}

#endif
} // namespace air
