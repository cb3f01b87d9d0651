#include <metal_stdlib>
using namespace metal;

kernel void k(device float *a) {
  #pragma unknown
  a[0] = ; //! error@10: expected expression
}
