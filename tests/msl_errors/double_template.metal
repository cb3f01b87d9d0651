#include <metal_stdlib>
using namespace metal;

kernel void k(device float *a) {
  vec<double, 2> x = 1; //! error@7: 'double' is not supported in Metal
  a[0] = x.x;
}
