#include <metal_stdlib>
kernel void k(device int *a) {
  int *p = new int; //! error@7: pointer type must have explicit address space qualifier //! error@12: 'new' is not supported in Metal
  a[0] = *p;
}
