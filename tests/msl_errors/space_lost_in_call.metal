#include <metal_stdlib>
void f(thread float *p) { *p = 1; }
kernel void k(device float *a) { f(a); } //! error@36: cannot convert a pointer to address space 'device' to a pointer to address space 'thread'
