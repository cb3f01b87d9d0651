#include <metal_stdlib>
using namespace metal;

float *f(device float *p) { return p; } //! error@7: pointer type must have explicit address space qualifier
kernel void k(device float *a) {
  a[0] = *f(a);
}
