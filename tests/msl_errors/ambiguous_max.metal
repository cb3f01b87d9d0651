#include <metal_stdlib>
using namespace metal;

kernel void k(device float *a) {
  a[0] = max(1, 2u); //! error@10: call to 'max' is ambiguous
}
