#include <metal_stdlib>
struct S { int x; };
constant S s [[function_constant(0)]]; //! error@12: a function constant must be a scalar or a vector, not 'S'
kernel void k(device int *a) { a[0] = s.x; }
