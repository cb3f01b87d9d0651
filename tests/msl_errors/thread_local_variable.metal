#include <metal_stdlib>
using namespace metal;

thread_local float x = 1; //! error@20: 'thread_local' is not supported in Metal
kernel void k(device float *a) {
  a[0] = x;
}
