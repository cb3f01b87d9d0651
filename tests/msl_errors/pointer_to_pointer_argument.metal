#include <metal_stdlib>
using namespace metal;

kernel void k(device float *device *a) { //! error@37: a kernel's argument cannot be a pointer to 'device float *device'
  a[0][0] = 1;
}
