#include <metal_stdlib>
using namespace metal;

kernel void k(device float *a) {
  a[0] = *(float *)a; //! error@18: pointer type must have explicit address space qualifier
}
