#include <metal_stdlib>
using namespace metal;

float f(int n, ...) { return n; } //! error@7: variadic functions are not supported in Metal
kernel void k(device float *a) {
  a[0] = f(1, 2);
}
