#include <metal_stdlib>
using namespace metal;

kernel void k(device float *a, float b[4]) { //! error@38: pointer argument of a kernel must be in the address space 'device', 'constant' or 'threadgroup'
  a[0] = b[0];
}
