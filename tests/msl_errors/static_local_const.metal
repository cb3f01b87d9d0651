#include <metal_stdlib>
using namespace metal;

kernel void k(device float *a) {
  static const int n = 3; //! error@20: variable 'n' inside of a function cannot be 'static'
  a[0] = n;
}
