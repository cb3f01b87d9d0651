#include <metal_stdlib>
kernel void k(device int *a) {
  int x = 0;
  delete &x; //! error@3: 'delete' is not supported in Metal
}
