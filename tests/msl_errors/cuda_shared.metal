#include <metal_stdlib>
using namespace metal;

kernel void k(device float *a) {
  __shared__ float t[4]; //! error@3: unknown type name '__shared__'
  a[0] = t[0];
}
