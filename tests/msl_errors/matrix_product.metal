#include <metal_stdlib>
using namespace metal;

kernel void k(device float *a) {
  float3 v = float4x4(1) * float3(1); //! error@26: invalid operands to binary expression ('float4x4' (aka 'matrix<float, 4, 4>') and 'float3' (aka 'vec<float, 3>'))
  a[0] = v.x;
}
