#include <metal_stdlib>
using namespace metal;

kernel void k(device float *a [[buffer]]) { //! error@33: 'buffer' attribute requires a non-negative integer constant
  a[0] = 1;
}
