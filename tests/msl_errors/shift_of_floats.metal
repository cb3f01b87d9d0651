#include <metal_stdlib>
using namespace metal;

kernel void k(device float *a) {
  a[0] = a[0] << 1; //! error@15: invalid operands to binary expression ('device float' and 'int')
}
