#include <metal_stdlib>
using namespace metal;

struct S; //! note@8: forward declaration of 'S'
kernel void k(device float *a) {
  S s; //! error@5: variable has incomplete type 'S'
  a[0] = 1;
}
