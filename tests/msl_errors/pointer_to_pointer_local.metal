#include <metal_stdlib>
using namespace metal;

kernel void k(device float *a) {
  thread float *p = nullptr;
  thread float **q = &p; //! error@17: pointer type must have explicit address space qualifier
  a[0] = **q;
}
