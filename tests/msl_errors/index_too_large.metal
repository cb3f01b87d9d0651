#include <metal_stdlib>
kernel void k(device float *a [[buffer(31)]]) {} //! error@33: 'buffer' attribute index 31 is out of range: it must be below 31
