#include <metal_stdlib>
using namespace metal;

kernel void k(device float *a) {
  a[0] = a[1](2); //! error@14: called object type 'float' is not a function or function pointer
}
