#include <metal_stdlib>
using namespace metal;

kernel void k(device float *a [[buffer(0), buffer(1)]]) { //! error@44: argument 'a' has more than one 'buffer' attribute
  a[0] = 1;
}
