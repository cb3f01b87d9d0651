#include <metal_stdlib>
using namespace metal;

kernel void k(device float *a) {
  float3 v = float3(1) + float4(1); //! error@24: no viable conversion from 'vec<float, 4>' to 'const vec<float, 3>'
  a[0] = v.x;
}
