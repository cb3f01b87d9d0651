#include <metal_stdlib>
kernel void k(device int *a) {
  throw 1; //! error@3: 'throw' is not supported in Metal
}
