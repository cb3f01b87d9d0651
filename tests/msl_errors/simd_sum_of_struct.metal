#include <metal_stdlib>
using namespace metal;

struct S {
  float x;
};
kernel void k(device float *a) {
  S s;
  simd_sum(s); //! error@3: no matching function for call to 'simd_sum'
  a[0] = 1;
}
