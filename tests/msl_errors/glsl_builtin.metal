#include <metal_stdlib>
using namespace metal;

kernel void k(device float *a) {
  a[gl_GlobalInvocationID.x] = 1; //! error@5: use of undeclared identifier 'gl_GlobalInvocationID'
}
