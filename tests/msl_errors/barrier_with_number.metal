#include <metal_stdlib>
using namespace metal;

kernel void k(device float *a) {
  threadgroup_barrier(1); //! error@3: no matching function for call to 'threadgroup_barrier'
  a[0] = 1;
}
