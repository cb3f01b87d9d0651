#include <metal_stdlib>
using namespace metal;

kernel void k(device float *a) {
  a[0] = "x"; //! error@10: assigning to 'float' from incompatible type 'const char[2]'
}
