#include <metal_stdlib>
kernel void k(device int *a) {
  goto end; //! error@3: 'goto' is not supported in Metal
end:
  a[0] = 1;
}
