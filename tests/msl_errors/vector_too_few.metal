#include <metal_stdlib>
using namespace metal;

kernel void k(device float *a) {
  float4 v = float4(1, 2, 3); //! error@14: call to constructor of 'float4' (aka 'vec<float, 4>') is ambiguous
  a[0] = v.x;
}
