#include <metal_stdlib>
using namespace metal;

kernel void k(device float *a, uint i [[thread_position_in_gird]]) { //! error@41: unknown attribute 'thread_position_in_gird' [-Werror,-Wunknown-attributes]
  a[i] = 1;
}
