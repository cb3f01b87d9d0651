// What the built-in kernels and csrc/ops agree on: the arguments that describe a launch. Compiled
// as MSL and as C++; every member is 8 or 4 bytes at its natural alignment.
#pragma once

#ifndef __METAL_VERSION__
#include <cstdint>
namespace metalcore::shaders {
#endif

/// Distances between neighbours in x, y and z, in elements.
struct Strides3 {
  int64_t x;
  int64_t y;
  int64_t z;
};

struct BinaryLayout {
  Strides3 output;
  Strides3 left;
  Strides3 right;
};

struct CopyLayout {
  Strides3 output;
  Strides3 input;
};

/// Dimensions beyond x and y, the innermost first; z counts through all of them.
#define METALCORE_MAX_OUTER_DIMENSIONS 14
struct OuterDimensions {
  uint32_t rank;
  uint32_t reserved;
  uint32_t shape[METALCORE_MAX_OUTER_DIMENSIONS];
  int64_t output_strides[METALCORE_MAX_OUTER_DIMENSIONS];
  int64_t input_strides[METALCORE_MAX_OUTER_DIMENSIONS];
};

/// Each value is the sum of a head and a tail that continues it below the last bit of the head.
struct ArangeLayout {
  float start;
  float start_tail;
  float step;
  float step_tail;
};
struct IntegerArangeLayout {
  uint64_t start;
  uint64_t step;
};

/// Rows of `length` contiguous elements; a threadgroup sums `block_length` of one.
struct RowSumLayout {
  uint64_t length;
  uint64_t block_length;
  uint64_t blocks;
};

/// [outer, length, inner] in C order, summed over the middle in chunks of `chunk_length`; a launch
/// covers `columns` of the inner dimension.
struct ColumnSumLayout {
  uint64_t length;
  uint64_t inner;
  uint64_t columns;
  uint64_t chunk_length;
  uint64_t chunks;
};

/// Columns that one thread sums side by side, and elements that it sums of a row at once.
#define METALCORE_SUM_LANES 8
/// The largest threadgroup that sums a row.
#define METALCORE_SUM_GROUP 128

#ifndef __METAL_VERSION__
} // namespace metalcore::shaders
#endif
