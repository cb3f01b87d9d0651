#include <metal_stdlib>
using namespace metal;

[[host_name("")]] kernel void k(device float *a) { a[0] = 1; } //! error@3: 'host_name' requires a string that is not empty
