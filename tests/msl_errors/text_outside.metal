#include <metal_stdlib>
using namespace metal;

constant char *pointer = "x"; //! error@16: variable 'pointer' outside of functions must be in the address space 'constant'

kernel void k(device float *a) { a[0] = pointer[0]; }
