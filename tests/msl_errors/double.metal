#include <metal_stdlib>
kernel void k(device float *a) {
  double d = 1; //! error@3: 'double' is not supported in Metal
  a[0] = d;
}
