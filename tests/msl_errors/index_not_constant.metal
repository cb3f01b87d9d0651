#include <metal_stdlib>
kernel void k(device float *a [[buffer(-1)]]) {} //! error@33: 'buffer' attribute requires a non-negative integer constant
