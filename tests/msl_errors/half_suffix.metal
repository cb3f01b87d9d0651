#include <metal_stdlib>
using namespace metal;

kernel void k(device float *a) {
  half x = 1.0hf; //! error@15: invalid suffix 'hf' on floating constant
  a[0] = x;
}
