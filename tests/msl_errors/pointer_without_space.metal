#include <metal_stdlib>
kernel void k(float *a) {} //! error@21: pointer type must have explicit address space qualifier
