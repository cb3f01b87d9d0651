#include <metal_stdlib>
using namespace metal;

void f(device float *p) { p[0] = 1; } //! note@6: candidate function not viable: no known conversion from 'threadgroup float[4]' to 'device float *' for 1st argument
kernel void k(device float *a) {
  threadgroup float t[4];
  f(t); //! error@3: no matching function for call to 'f'
  a[0] = t[0];
}
