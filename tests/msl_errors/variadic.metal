#include <metal_stdlib>
int f(int n, ...) { return n; } //! error@5: variadic functions are not supported in Metal
kernel void k(device int *a) { a[0] = f(1); }
