#include <metal_stdlib>
using namespace metal;

kernel void k(device float *a) { a[0] = 1; } //! note@13: previous definition is here
kernel void k(device float *a) { a[0] = 2; } //! error@13: redefinition of 'k'
