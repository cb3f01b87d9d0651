#include <metal_stdlib>
using namespace metal;

kernel void k(device float *a) {
  a[0] = 1.0L; //! error@10: 'long double' is not supported in Metal
}
