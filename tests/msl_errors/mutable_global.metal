#include <metal_stdlib>
int counter = 0; //! error@5: variable 'counter' outside of functions must be in the address space 'constant'
kernel void k(device int *a) { a[0] = counter; }
