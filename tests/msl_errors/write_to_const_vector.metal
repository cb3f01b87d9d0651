#include <metal_stdlib>
using namespace metal;

kernel void k(device const float4 *v) {
  v[0].x = 1; //! error@10: read-only variable is not assignable
}
