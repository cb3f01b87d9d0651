#include <metal_stdlib>
using namespace metal;

kernel void k(device float *a) {
  float4 v = 1;
  a[0] = v.q; //! error@12: no member named 'q' in 'metal::vec<float, 4>'
}
