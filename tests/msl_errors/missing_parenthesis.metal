#include <metal_stdlib>
using namespace metal;

kernel void k(device float *a) {
  a[0] = (1 + 2; //! error@16: expected ')' //! note@10: to match this '('
}
