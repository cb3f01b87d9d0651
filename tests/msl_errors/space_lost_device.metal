#include <metal_stdlib>
kernel void k(device float *a) {
  float *p = a; //! error@9: pointer type must have explicit address space qualifier
  p[0] = 1;
}
