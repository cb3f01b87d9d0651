#include <metal_stdlib>
kernel void k(device float *a) {
  a[0] = ; //! error@10: expected expression
}
