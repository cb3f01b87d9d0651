#include <metal_stdlib>
kernel void k(device int *a) {
  int t[a[0]]; //! error@7: variable length arrays are not supported in Metal
  a[1] = t[0];
}
