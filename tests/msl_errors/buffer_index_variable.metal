#include <metal_stdlib>
using namespace metal;

constant int n [[function_constant(0)]];
kernel void k(device float *a [[buffer(n)]]) { //! error@33: 'buffer' attribute requires a non-negative integer constant
  a[0] = 1;
}
