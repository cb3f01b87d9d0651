#include <metal_stdlib>
using namespace metal;

kernel void k(device float *a, uint2 i [[thread_index_in_simdgroup]]) { //! error@38: type 'uint2' is not valid for attribute 'thread_index_in_simdgroup': it must be uint or ushort
  a[i.x] = 1;
}
