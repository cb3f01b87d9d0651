#include <metal_stdlib>
kernel void k(device float *a [[buffer(1)]], device float *b [[buffer(1)]]) {} //! error@64: 'buffer' index 1 is used by more than one argument
