#include <metal_stdlib>
using namespace metal;

kernel void k(constant float *a) {
  a[0] = 1; //! error@8: read-only variable is not assignable
}
