#include <metal_stdlib>
using namespace metal;

constant int n [[function_constant(0)]] = 3; //! error@43: function constant 'n' cannot be initialised
kernel void k(device float *a) { a[0] = n; }
