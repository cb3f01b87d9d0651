#include <metal_stdlib>
using namespace metal;

kernel void k(device float *a) {
  a[0] = *reinterpret_cast<int *>(a); //! error@32: pointer type must have explicit address space qualifier
}
