#include <metal_stdlib>
using namespace metal;

kernel void k(device float *a) {
  device float x = 1; //! error@16: automatic variable qualified with an address space
  a[0] = x;
}
