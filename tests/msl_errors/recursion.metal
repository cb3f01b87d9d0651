#include <metal_stdlib>
int f(int n) { return n < 2 ? n : f(n - 1); } //! error@35: recursive call of function 'f' is not supported in Metal
kernel void k(device int *a) { a[0] = f(3); }
