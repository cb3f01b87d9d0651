// output = left <op> right, element by element, over a grid of up to three dimensions. The suffix
// says what one step in x means for the operands: v, the next element; s, the same one again;
// "strided", whatever the layout says. Signed integers use the unsigned kernels: they wrap alike.
#include <metal_stdlib>

#include "arithmetic.h"
#include "layout.h"

using namespace metal;

static int64_t outer_offset(constant Strides3 &strides, uint3 position) {
  return position.y * strides.y + position.z * strides.z;
}

template <typename Op, typename T, int left_step, int right_step>
kernel void binary_contiguous(device T *output [[buffer(0)]], device const T *left [[buffer(1)]],
                              device const T *right [[buffer(2)]],
                              constant BinaryLayout &layout [[buffer(3)]],
                              uint3 position [[thread_position_in_grid]]) {
  const int64_t x = position.x;
  output[x + outer_offset(layout.output, position)] =
      Op::apply(left[x * left_step + outer_offset(layout.left, position)],
                right[x * right_step + outer_offset(layout.right, position)]);
}

template <typename Op, typename T>
kernel void binary_strided(device T *output [[buffer(0)]], device const T *left [[buffer(1)]],
                           device const T *right [[buffer(2)]],
                           constant BinaryLayout &layout [[buffer(3)]],
                           uint3 position [[thread_position_in_grid]]) {
  const int64_t x = position.x;
  output[x * layout.output.x + outer_offset(layout.output, position)] =
      Op::apply(left[x * layout.left.x + outer_offset(layout.left, position)],
                right[x * layout.right.x + outer_offset(layout.right, position)]);
}

#define INSTANTIATE(name, ...)                                                                     \
  template [[host_name(name)]] [[kernel]] decltype(__VA_ARGS__) __VA_ARGS__;

#define INSTANTIATE_BINARY(op, Op, dtype, T)                                                       \
  INSTANTIATE(op "_" dtype "_vv", binary_contiguous<Op, T, 1, 1>)                                  \
  INSTANTIATE(op "_" dtype "_vs", binary_contiguous<Op, T, 1, 0>)                                  \
  INSTANTIATE(op "_" dtype "_sv", binary_contiguous<Op, T, 0, 1>)                                  \
  INSTANTIATE(op "_" dtype "_strided", binary_strided<Op, T>)

#define INSTANTIATE_INTEGERS(op, Op)                                                               \
  INSTANTIATE_BINARY(op, Op, "uint8", uchar)                                                       \
  INSTANTIATE_BINARY(op, Op, "uint16", ushort)                                                     \
  INSTANTIATE_BINARY(op, Op, "uint32", uint)                                                       \
  INSTANTIATE_BINARY(op, Op, "uint64", ulong)

#define INSTANTIATE_FLOATS(op, Op)                                                                 \
  INSTANTIATE_BINARY(op, Op, "float16", half)                                                      \
  INSTANTIATE_BINARY(op, Op, "bfloat16", bfloat)                                                   \
  INSTANTIATE_BINARY(op, Op, "float32", float)                                                     \
  INSTANTIATE_BINARY(op, Op, "complex64", float2)

INSTANTIATE_INTEGERS("add", Add)
INSTANTIATE_INTEGERS("subtract", Subtract)
INSTANTIATE_INTEGERS("multiply", Multiply)
INSTANTIATE_FLOATS("add", Add)
INSTANTIATE_FLOATS("subtract", Subtract)
INSTANTIATE_FLOATS("multiply", Multiply)
INSTANTIATE_FLOATS("divide", Divide)
