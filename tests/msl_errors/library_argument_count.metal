#include <metal_stdlib>
using namespace metal;

kernel void k(device float *a) {
  a[0] = clamp(a[0], 0.0f); //! error@10: no matching function for call to 'clamp'
}
