#include <metal_stdlib>
using namespace metal;

void f(float &x) { x = 2; } //! error@14: reference type must have explicit address space qualifier
kernel void k(device float *a) {
  float x = 1;
  f(x);
  a[0] = x;
}
