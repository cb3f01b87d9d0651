#include <metal_stdlib>
using namespace metal;

kernel void k(device float *a) {
  float4 v = 1;
  v.xx = float2(1, 2); //! error@5: static assertion failed due to requirement '0 != 0': a vector component cannot be assigned twice
  a[0] = v.x;
}
