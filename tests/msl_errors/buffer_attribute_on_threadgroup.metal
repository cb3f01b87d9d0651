#include <metal_stdlib>
using namespace metal;

kernel void k(device float *a, threadgroup float *t [[buffer(1)]]) { //! error@55: 'buffer' attribute is not valid for argument 't'
  a[0] = t[0];
}
