#include <metal_stdlib>
using namespace metal;

struct S {
  float x;
};
kernel void k(device const S *s) { //! note@31: variable 's' declared const here
  s->x = 1; //! error@8: cannot assign to variable 's' with const-qualified type 'const device S *'
}
