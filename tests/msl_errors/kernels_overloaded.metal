#include <metal_stdlib>
using namespace metal;

kernel void k(device float *a) { a[0] = 1; } //! note@13: the other function is here
kernel void k(device int *a) { a[0] = 2; } //! error@13: function name 'k' is used more than once
