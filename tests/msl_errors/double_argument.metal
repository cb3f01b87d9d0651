#include <metal_stdlib>
using namespace metal;

kernel void k(device float *a, constant double &b) { //! error@41: 'double' is not supported in Metal
  a[0] = b;
}
