#include <metal_stdlib>
using namespace metal;

void f(device float *a) {
  try { //! error@3: 'try' is not supported in Metal
    a[0] = 1;
  } catch (int) {
  }
}
kernel void k(device float *a) {
  f(a);
}
