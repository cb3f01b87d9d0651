#include <metal_stdlib>
struct S { int x; };
kernel void k(device float *a) { S s; a[0] = s; } //! error@46: assigning to 'float' from incompatible type 'S'
