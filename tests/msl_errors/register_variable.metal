#include <metal_stdlib>
using namespace metal;

kernel void k(device float *a) {
  register int x = 1; //! error@3: ISO C++17 does not allow 'register' storage class specifier [-Wregister]
  a[0] = x;
}
