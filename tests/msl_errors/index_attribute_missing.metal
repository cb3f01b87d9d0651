#include <metal_stdlib>
using namespace metal;

kernel void k(device float *a, uint i) { //! error@37: argument 'i' of type 'uint' needs an attribute that says where its value comes from
  a[i] = 1;
}
