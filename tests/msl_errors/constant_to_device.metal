#include <metal_stdlib>
using namespace metal;

void f(device float *p) { p[0] = 1; } //! note@6: candidate function not viable: cannot pass pointer to address space 'constant' as a pointer to address space 'device' in 1st argument
kernel void k(device float *a, constant float *b) {
  f(b); //! error@3: no matching function for call to 'f'
}
