#include <metal_stdlib>
using namespace metal;

kernel void k(device float *a) {
  goto *&&end; //! error@3: 'goto' is not supported in Metal
  end:
  a[0] = 1;
}
