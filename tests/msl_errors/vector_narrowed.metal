#include <metal_stdlib>
using namespace metal;

kernel void k(device float *a) {
  float2 v = float4(1); //! error@10: no viable conversion from 'vec<float, 4>' to 'vec<float, 2>'
  a[0] = v.x;
}
