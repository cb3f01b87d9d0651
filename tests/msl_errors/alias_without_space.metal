#include <metal_stdlib>
using namespace metal;

using P = float *; //! error@17: pointer type must have explicit address space qualifier
kernel void k(device float *a) {
  P p = a;
  a[0] = *p;
}
