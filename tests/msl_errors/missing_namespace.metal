#include <metal_stdlib>

kernel void k(device float *a) {
  a[0] = fma(a[0], a[1], a[2]); //! error@10: use of undeclared identifier 'fma'; did you mean 'metal::fma'?
  float4 v = float4(1);
  a[1] = v.x;
}
