#include <metal_stdlib>
using namespace metal;

kernel void k(device float *a [[texture(0)]]) { //! error@33: 'texture' attribute is not valid for argument 'a'
  a[0] = 1;
}
