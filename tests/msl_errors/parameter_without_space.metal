#include <metal_stdlib>
using namespace metal;

void f(float *p) { p[0] = 1; } //! error@14: pointer type must have explicit address space qualifier
kernel void k(device float *a) {
  f(a);
}
