#include <metal_stdlib>
constant int x [[function_constant(0)]];
constant int y [[function_constant(0)]]; //! error@14: function constant index 0 is used by more than one function constant
kernel void k(device int *a) { a[0] = x + y; }
