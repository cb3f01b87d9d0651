#include <metal_stdlib>
using namespace metal;

kernel void k(device float *a) {
  float3 v = int3(1); //! error@10: no viable conversion from 'vec<int, 3>' to 'vec<float, 3>'
  a[0] = v.x;
}
