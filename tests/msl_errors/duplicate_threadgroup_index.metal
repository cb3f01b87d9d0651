#include <metal_stdlib>
using namespace metal;

kernel void k(device float *a, threadgroup float *t [[threadgroup(0)]], threadgroup float *u [[threadgroup(0)]]) { //! error@96: 'threadgroup' index 0 is used by more than one argument
  a[0] = t[0] + u[0];
}
