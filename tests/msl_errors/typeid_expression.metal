#include <metal_stdlib>
using namespace metal;

kernel void k(device float *a) {
  a[0] = typeid(int) == typeid(float); //! error@10: 'typeid' is not supported in Metal //! error@25: 'typeid' is not supported in Metal
}
