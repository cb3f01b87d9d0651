// output[i] = start + i * step.
#include <metal_stdlib>

#include "layout.h"

using namespace metal;

template <typename T>
kernel void arange_integer(device T *output [[buffer(0)]],
                           constant IntegerArangeLayout &layout [[buffer(1)]],
                           uint x [[thread_position_in_grid]]) {
  output[x] = static_cast<T>(layout.start + x * layout.step);
}

/// Start and step come with the bits that float32 leaves out, and the index is taken in two exact
/// halves, so the result has the error of one or two roundings, also far from the start.
template <typename T>
kernel void arange_float(device T *output [[buffer(0)]],
                         constant ArangeLayout &layout [[buffer(1)]],
                         uint x [[thread_position_in_grid]]) {
  const float high = static_cast<float>(x & 0xFFFF0000u);
  const float low = static_cast<float>(x & 0x0000FFFFu);
  const float tail = fma(high, layout.step_tail, fma(low, layout.step_tail, layout.start_tail));
  // Each product is split into its rounded value and the exact rest.
  const float product_high = high * layout.step;
  const float product_low = low * layout.step;
  const float rest = fma(high, layout.step, -product_high) + fma(low, layout.step, -product_low);
  // Knuth's sum of two, twice: total + error is exact.
  const float first = product_high + product_low;
  const float first_part = first - product_high;
  const float first_error = (product_high - (first - first_part)) + (product_low - first_part);
  const float total = first + layout.start;
  const float total_part = total - first;
  const float total_error = (first - (total - total_part)) + (layout.start - total_part);
  output[x] = static_cast<T>(total + (total_error + first_error + rest + tail));
}

#define INSTANTIATE(dtype, T, function)                                                            \
  template [[host_name("arange_" dtype)]] [[kernel]] decltype(function<T>) function<T>;

INSTANTIATE("uint8", uchar, arange_integer)
INSTANTIATE("uint16", ushort, arange_integer)
INSTANTIATE("uint32", uint, arange_integer)
INSTANTIATE("uint64", ulong, arange_integer)
INSTANTIATE("float16", half, arange_float)
INSTANTIATE("bfloat16", bfloat, arange_float)
INSTANTIATE("float32", float, arange_float)
