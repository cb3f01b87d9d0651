#include <metal_stdlib>
using namespace metal;

kernel void k(device float *a) {
  float2 v = 1;
  a[0] = v.z; //! error@12: no member named 'z' in 'metal::vec<float, 2>'
}
