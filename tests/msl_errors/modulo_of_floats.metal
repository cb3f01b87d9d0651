#include <metal_stdlib>
using namespace metal;

kernel void k(device float *a) {
  a[0] = a[0] % 2.0f; //! error@15: invalid operands to binary expression ('device float' and 'float')
}
