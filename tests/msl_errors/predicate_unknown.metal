#include <metal_stdlib>
using namespace metal;

kernel void k(device float *a [[function_constant(has_a)]]) { a[0] = 1; } //! error@51: use of undeclared identifier 'has_a'
