#include <metal_stdlib>
using namespace metal;

constant int n [[function_constant(65536)]]; //! error@18: 'function_constant' requires an integer constant from 0 to 65535
kernel void k(device float *a) { a[0] = n; }
