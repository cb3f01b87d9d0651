#include <metal_stdlib>
using namespace metal;

kernel void k(device float *a, device atomic_int *c) {
  a[0] = c[0]; //! error@10: assigning to 'float' from incompatible type 'device atomic_int' (aka 'device _atomic<int>')
}
