#include <metal_stdlib>
kernel void k(float &a) {} //! error@21: reference type must have explicit address space qualifier
