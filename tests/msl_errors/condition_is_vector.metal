#include <metal_stdlib>
using namespace metal;

kernel void k(device float *a) {
  a[0] = float2(a[0]) ? 1 : 0; //! error@10: value of type 'float2' (aka 'vec<float, 2>') is not contextually convertible to 'bool'
}
