#include <metal_stdlib>
using namespace metal;

kernel void k(device float *a) {
  const char *s = "x"; //! error@14: pointer type must have explicit address space qualifier
  a[0] = s[0];
}
