#include <metal_stdlib>
using namespace metal;

struct S {
  float *p; //! error@9: pointer type must have explicit address space qualifier
};
kernel void k(device float *a) {
  S s = {a};
  a[0] = s.p[0];
}
