#include <metal_stdlib>
int g(int n);
int f(int n) { return n ? g(n - 1) : 0; }
int g(int n) { return f(n); } //! error@23: recursive call of function 'f' is not supported in Metal
kernel void k(device int *a) { a[0] = f(3); }
