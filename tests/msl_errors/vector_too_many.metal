#include <metal_stdlib>
using namespace metal;

kernel void k(device float *a) {
  float4 v = float4(1, 2, 3, 4, 5); //! error@14: no matching constructor for initialization of 'float4' (aka 'vec<float, 4>')
  a[0] = v.x;
}
