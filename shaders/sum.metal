// Sums, in the accumulator's type: int64 and uint64 for integers, float32 for all real floats.
// Every kernel adds few elements in sequence and the host calls again until one is left, so
// rounding errors grow with the logarithm of the length.
#include <metal_stdlib>

#include "layout.h"

using namespace metal;

constant constexpr uint lanes = METALCORE_SUM_LANES;

template <typename T> struct Accumulator {
  using type = float;
};
template <> struct Accumulator<bool> {
  using type = ulong;
};
template <> struct Accumulator<char> {
  using type = ulong;
};
template <> struct Accumulator<short> {
  using type = ulong;
};
template <> struct Accumulator<int> {
  using type = ulong;
};
template <> struct Accumulator<uchar> {
  using type = ulong;
};
template <> struct Accumulator<ushort> {
  using type = ulong;
};
template <> struct Accumulator<uint> {
  using type = ulong;
};
template <> struct Accumulator<ulong> {
  using type = ulong;
};
template <> struct Accumulator<float2> {
  using type = float2;
};

/// Adds elements begin + first, begin + first + stride, … in packs of `lanes`; the elements after
/// the last full pack go to the first threads.
template <typename A, typename T>
static A sum_range(device const T *input, uint64_t begin, uint64_t end, uint thread_index,
                   uint thread_count) {
  A sums[lanes];
  for (uint lane = 0; lane < lanes; ++lane) {
    sums[lane] = A(0);
  }
  const uint64_t packs = (end - begin) / lanes;
  for (uint64_t pack = thread_index; pack < packs; pack += thread_count) {
    device const T *elements = input + begin + pack * lanes;
    for (uint lane = 0; lane < lanes; ++lane) {
      sums[lane] += static_cast<A>(elements[lane]);
    }
  }
  for (uint64_t i = begin + packs * lanes + thread_index; i < end; i += thread_count) {
    sums[0] += static_cast<A>(input[i]);
  }
  for (uint width = lanes / 2; width > 0; width /= 2) {
    for (uint lane = 0; lane < width; ++lane) {
      sums[lane] += sums[lane + width];
    }
  }
  return sums[0];
}

/// One thread per row.
template <typename T, typename A>
kernel void sum_short_rows(device A *output [[buffer(0)]], device const T *input [[buffer(1)]],
                           constant RowSumLayout &layout [[buffer(2)]],
                           uint row [[thread_position_in_grid]]) {
  output[row] = sum_range<A>(input + row * layout.length, 0, layout.length, 0, 1);
}

/// One threadgroup per block of a row: x counts blocks, y rows.
template <typename T, typename A>
kernel void sum_rows(device A *output [[buffer(0)]], device const T *input [[buffer(1)]],
                     constant RowSumLayout &layout [[buffer(2)]],
                     uint3 group [[threadgroup_position_in_grid]],
                     uint3 position [[thread_position_in_threadgroup]],
                     uint3 group_size [[threads_per_threadgroup]]) {
  threadgroup A partial[METALCORE_SUM_GROUP];
  const uint thread_index = position.x;
  const uint64_t begin = group.x * layout.block_length;
  const uint64_t end = min(begin + layout.block_length, layout.length);
  partial[thread_index] =
      sum_range<A>(input + group.y * layout.length, begin, end, thread_index, group_size.x);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  // Thread n gathers the sums n, n + lanes, …; then the first gathers those.
  if (thread_index < lanes) {
    A sum = partial[thread_index];
    for (uint i = thread_index + lanes; i < group_size.x; i += lanes) {
      sum += partial[i];
    }
    partial[thread_index] = sum;
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);
  if (thread_index == 0) {
    A sum = partial[0];
    for (uint i = 1; i < min(lanes, group_size.x); ++i) {
      sum += partial[i];
    }
    output[group.y * layout.blocks + group.x] = sum;
  }
}

/// x counts packs of columns, y chunks of the summed dimension, z the dimension outside of it.
template <typename T, typename A>
kernel void sum_columns(device A *output [[buffer(0)]], device const T *input [[buffer(1)]],
                        constant ColumnSumLayout &layout [[buffer(2)]],
                        uint3 position [[thread_position_in_grid]]) {
  const uint64_t column = static_cast<uint64_t>(position.x) * lanes;
  const uint64_t begin = position.y * layout.chunk_length;
  const uint64_t end = min(begin + layout.chunk_length, layout.length);
  device const T *elements = input + (position.z * layout.length + begin) * layout.inner + column;
  device A *sums_out = output + (position.z * layout.chunks + position.y) * layout.inner + column;
  A sums[lanes];
  for (uint lane = 0; lane < lanes; ++lane) {
    sums[lane] = A(0);
  }
  if (column + lanes <= layout.columns) {
    for (uint64_t i = begin; i < end; ++i, elements += layout.inner) {
      for (uint lane = 0; lane < lanes; ++lane) {
        sums[lane] += static_cast<A>(elements[lane]);
      }
    }
    for (uint lane = 0; lane < lanes; ++lane) {
      sums_out[lane] = sums[lane];
    }
    return;
  }
  const uint count = static_cast<uint>(layout.columns - column);
  for (uint64_t i = begin; i < end; ++i, elements += layout.inner) {
    for (uint lane = 0; lane < count; ++lane) {
      sums[lane] += static_cast<A>(elements[lane]);
    }
  }
  for (uint lane = 0; lane < count; ++lane) {
    sums_out[lane] = sums[lane];
  }
}

#define INSTANTIATE_AS(name, ...)                                                                  \
  template [[host_name(name)]] [[kernel]] decltype(__VA_ARGS__) __VA_ARGS__;

#define INSTANTIATE(dtype, T)                                                                      \
  INSTANTIATE_AS("sum_short_rows_" dtype, sum_short_rows<T, Accumulator<T>::type>)                 \
  INSTANTIATE_AS("sum_rows_" dtype, sum_rows<T, Accumulator<T>::type>)                             \
  INSTANTIATE_AS("sum_columns_" dtype, sum_columns<T, Accumulator<T>::type>)

// 64-bit sums wrap alike whether signed or not: int64 uses the kernels of uint64.
INSTANTIATE("bool", bool)
INSTANTIATE("int8", char)
INSTANTIATE("int16", short)
INSTANTIATE("int32", int)
INSTANTIATE("uint8", uchar)
INSTANTIATE("uint16", ushort)
INSTANTIATE("uint32", uint)
INSTANTIATE("uint64", ulong)
INSTANTIATE("float16", half)
INSTANTIATE("bfloat16", bfloat)
INSTANTIATE("float32", float)
INSTANTIATE("complex64", float2)
