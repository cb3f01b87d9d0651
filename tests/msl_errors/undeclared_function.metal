#include <metal_stdlib>
using namespace metal;

kernel void k(device float *a) {
  a[0] = square(a[0]); //! error@10: use of undeclared identifier 'square'
}
