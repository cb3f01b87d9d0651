#include <metal_stdlib>
kernel void k(device float *a, float4 p [[thread_position_in_grid]]) {} //! error@39: type 'float4' is not valid for attribute 'thread_position_in_grid': it must be uint, uint2, uint3, ushort, ushort2 or ushort3
