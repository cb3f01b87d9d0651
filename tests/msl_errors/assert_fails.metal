#include <metal_stdlib>
using namespace metal;

kernel void k(device float *a) {
  static_assert(sizeof(float3) == 12, "float3 has 12 bytes"); //! error@17: static assertion failed due to requirement 'sizeof(metal::vec<float, 3>) == 12': float3 has 12 bytes //! note@32: expression evaluates to '16 == 12'
  a[0] = 1;
}
