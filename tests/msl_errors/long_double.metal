#include <metal_stdlib>
using namespace metal;

kernel void k(device float *a) {
  long double x = 1; //! error@3: 'long double' is not supported in Metal
  a[0] = x;
}
