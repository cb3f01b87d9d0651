#include <metal_stdlib>
using namespace metal;

kernel void k(device float *a) {
  float x = 1 //! error@14: expected ';' at end of declaration
  a[0] = x;
}
