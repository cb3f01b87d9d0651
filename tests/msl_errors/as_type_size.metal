#include <metal_stdlib>
using namespace metal;

kernel void k(device float *a) {
  a[0] = as_type<float>(half(1)); //! error@10: static assertion failed due to requirement 'sizeof(float) == sizeof(half)': as_type requires types of one size
}
