#include <metal_stdlib>
using namespace metal;

float f(constant float *p) { return p[0]; } //! note@7: candidate function not viable: cannot pass pointer to address space 'device' as a pointer to address space 'constant' in 1st argument
kernel void k(device float *a) {
  a[0] = f(a); //! error@10: no matching function for call to 'f'
}
