#include <metal_stdlib>
using namespace metal;

kernel void k(device float *a [[threadgroup(0)]]) { //! error@33: 'threadgroup' attribute is not valid for argument 'a'
  a[0] = 1;
}
