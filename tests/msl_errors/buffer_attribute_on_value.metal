#include <metal_stdlib>
using namespace metal;

kernel void k(device float *a, float b [[buffer(1)]]) { //! error@38: argument 'b' of type 'float' needs an attribute that says where its value comes from
  a[0] = b;
}
