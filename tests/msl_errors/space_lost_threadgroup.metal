#include <metal_stdlib>
kernel void k(device float *a) {
  threadgroup float t[4];
  float *p = t; //! error@9: pointer type must have explicit address space qualifier
  a[0] = *p;
}
