#include <metal_stdlib>
using namespace metal;

kernel void k(device float *a, uint i [[vertex_id]]) { //! error@41: unknown attribute 'vertex_id' [-Werror,-Wunknown-attributes]
  a[i] = 1;
}
