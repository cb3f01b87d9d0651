#include <metal_stdlib>
using namespace metal;

kernel void k(device float *a) {
  float x = 1; //! note@9: previous definition is here
  float x = 2; //! error@9: redefinition of 'x'
  a[0] = x;
}
