#include <metal_stdlib>
using namespace metal;

kernel void k(device float *a) {
  if (float4(1) > float4(0)) a[0] = 1; //! error@7: value of type 'vec<bool, 4>' is not contextually convertible to 'bool'
}
