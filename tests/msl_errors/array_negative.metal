#include <metal_stdlib>
using namespace metal;

kernel void k(device float *a) {
  float t[-1]; //! error@11: 't' declared as an array with a negative size
  a[0] = t[0];
}
