#include <metal_stdlib>
using namespace metal;

constant float u[2] = {1, 2};
kernel void k(device float *a) {
  float t[2] = u; //! error@9: array initializer must be an initializer list
  a[0] = t[0];
}
