// 8x8 matrices spread over a simdgroup, two neighbouring elements of a row per lane. Kernels rely
// on the places, so they are Apple's: bits 4, 2 and 1 of the lane are the row, bits 3 and 0 the
// column.
#include "lanes.hpp"

using namespace lanes;

namespace {

constexpr uint32_t size = 8;

constexpr uint32_t row_of(uint32_t lane) {
  return (lane >> 2 & 4) | (lane >> 1 & 3);
}
constexpr uint32_t column_of(uint32_t lane, uint32_t element) {
  return (lane >> 1 & 4) | (lane << 1 & 2) | element;
}
/// The lane that has this element; the element's number there is column % 2.
constexpr uint32_t lane_of(uint32_t row, uint32_t column) {
  return (row & 4) << 2 | (row & 3) << 1 | (column & 4) << 1 | (column & 2) >> 1;
}

struct Share {
  float a[2], b[2];
};

} // namespace

extern "C" {

/// The lane's two elements of a * b + c, from the frame of an exchange of shares; not inlined.
__attribute__((noinline)) void hm_matrix_multiply_accumulate(const HmSimdFrame *frame,
                                                             uint32_t lane, float c0, float c1,
                                                             float *result) {
  auto share = [&](uint32_t of) -> const Share & {
    return *reinterpret_cast<const Share *>(frame->values[of]);
  };
  uint32_t row = row_of(lane), column = column_of(lane, 0);
  for (uint32_t k = 0; k < size; ++k) {
    float a = share(lane_of(row, k)).a[k % 2];
    const Share &b = share(lane_of(k, column));
    c0 = __builtin_fmaf(a, b.b[0], c0);
    c1 = __builtin_fmaf(a, b.b[1], c1);
  }
  result[0] = c0;
  result[1] = c1;
}

/// Elements between a matrix' address and this lane's element in memory.
uint64_t hm_matrix_element_offset(uint32_t element, uint64_t elements_per_row,
                                  uint64_t origin_column, uint64_t origin_row,
                                  uint32_t is_straight) {
  uint64_t row = row_of(own_lane()), column = column_of(own_lane(), element);
  return is_straight ? (origin_row + row) * elements_per_row + origin_column + column
                     : (origin_row + column) * elements_per_row + origin_column + row;
}

uint32_t hm_matrix_is_diagonal(uint32_t element) {
  return row_of(own_lane()) == column_of(own_lane(), element);
}
}
