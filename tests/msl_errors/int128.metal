#include <metal_stdlib>
using namespace metal;

kernel void k(device float *a) {
  __int128 x = 1; //! error@3: '__int128' is not supported in Metal
  a[0] = x;
}
