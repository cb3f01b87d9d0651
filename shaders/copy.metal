// Fills and copies elements of 8, 16, 32 and 64 bits, whatever they mean.
#include <metal_stdlib>

#include "layout.h"

using namespace metal;

template <typename T>
kernel void fill(device T *output [[buffer(0)]], constant T &value [[buffer(1)]],
                 uint x [[thread_position_in_grid]]) {
  output[x] = value;
}

template <typename T>
kernel void copy(device T *output [[buffer(0)]], device const T *input [[buffer(1)]],
                 constant CopyLayout &layout [[buffer(2)]],
                 uint3 position [[thread_position_in_grid]]) {
  const int64_t x = position.x;
  const int64_t y = position.y;
  const int64_t z = position.z;
  output[x * layout.output.x + y * layout.output.y + z * layout.output.z] =
      input[x * layout.input.x + y * layout.input.y + z * layout.input.z];
}

template <typename T>
kernel void copy_general(device T *output [[buffer(0)]], device const T *input [[buffer(1)]],
                         constant CopyLayout &layout [[buffer(2)]],
                         constant OuterDimensions &outer [[buffer(3)]],
                         uint3 position [[thread_position_in_grid]]) {
  const int64_t x = position.x;
  const int64_t y = position.y;
  int64_t to = x * layout.output.x + y * layout.output.y;
  int64_t from = x * layout.input.x + y * layout.input.y;
  uint rest = position.z;
  for (uint dimension = 0; dimension < outer.rank; ++dimension) {
    const int64_t index = rest % outer.shape[dimension];
    rest /= outer.shape[dimension];
    to += index * outer.output_strides[dimension];
    from += index * outer.input_strides[dimension];
  }
  output[to] = input[from];
}

#define INSTANTIATE_AS(name, ...)                                                                  \
  template [[host_name(name)]] [[kernel]] decltype(__VA_ARGS__) __VA_ARGS__;

#define INSTANTIATE(bits, T)                                                                       \
  INSTANTIATE_AS("fill_" bits, fill<T>)                                                            \
  INSTANTIATE_AS("copy_" bits, copy<T>)                                                            \
  INSTANTIATE_AS("copy_" bits "_general", copy_general<T>)

INSTANTIATE("8", uchar)
INSTANTIATE("16", ushort)
INSTANTIATE("32", uint)
INSTANTIATE("64", ulong)
