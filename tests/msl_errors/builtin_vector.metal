#include <metal_stdlib>
kernel void k(device float *a, uint2 i [[thread_index_in_threadgroup]]) {} //! error@38: type 'uint2' is not valid for attribute 'thread_index_in_threadgroup': it must be uint or ushort
