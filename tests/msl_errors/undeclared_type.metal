#include <metal_stdlib>
using namespace metal;

kernel void k(device float *a) {
  Params p; //! error@3: unknown type name 'Params'
  a[0] = p.x;
}
