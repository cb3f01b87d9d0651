#include <metal_stdlib>
using namespace metal;

struct S {
  float x;
};
kernel void k(device float *a, constant S &s) {
  a[0] = s.y; //! error@12: no member named 'y' in 'S'
}
