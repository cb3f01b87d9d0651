#include <metal_stdlib>
using namespace metal;

kernel void other(device float *p) { p[0] = 1; }
kernel void k(device float *a) {
  other(a); //! error@3: kernel 'other' cannot be called
}
