#include <metal_stdlib>
using namespace metal;

kernel void k(device float *a) {
  a[0] = sin("x"); //! error@10: no matching function for call to 'sin'
}
