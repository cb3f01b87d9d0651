#include <metal_stdlib>
using namespace metal;

kernel void k(device float *a, uint4 i [[thread_position_in_grid]]) { //! error@38: type 'uint4' is not valid for attribute 'thread_position_in_grid': it must be uint, uint2, uint3, ushort, ushort2 or ushort3
  a[i.x] = 1;
}
