#include <metal_stdlib>
using namespace metal;

kernel void k(device float *a, float i [[thread_position_in_grid]]) {
  a[i] = 1; //! error@4: array subscript is not an integer
}
