#include <metal_stdlib>
using namespace metal;

void f(device float *p) {
  threadgroup float t[4]; //! error@21: threadgroup variable 't' must be declared inside of a kernel
  p[0] = t[0];
}
kernel void k(device float *a) {
  f(a);
}
