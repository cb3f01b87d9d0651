#include <metal_stdlib>
threadgroup float t[4]; //! error@19: threadgroup variable 't' must be declared inside of a kernel
kernel void k(device float *a) { a[0] = t[0]; }
