#include <metal_stdlib>
using namespace metal;

extern float x; //! error@14: variable 'x' outside of functions must be in the address space 'constant'
kernel void k(device float *a) {
  a[0] = x;
}
