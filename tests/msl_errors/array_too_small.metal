#include <metal_stdlib>
using namespace metal;

kernel void k(device float *a) {
  float t[2] = {1, 2, 3}; //! error@23: excess elements in array initializer
  a[0] = t[0];
}
