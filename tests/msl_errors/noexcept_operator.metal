#include <metal_stdlib>
using namespace metal;

kernel void k(device float *a) {
  a[0] = noexcept(a[0] = 1); //! error@10: the operator 'noexcept' is not supported in Metal
}
