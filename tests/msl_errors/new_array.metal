#include <metal_stdlib>
using namespace metal;

kernel void k(device float *a) {
  thread float *p = new float[4]; //! error@21: 'new' is not supported in Metal
  a[0] = p[0];
}
