#include <metal_stdlib>
using namespace metal;

float f() { return 1; }
kernel void k(device float *a) {
  a[0] = f();
  return 1; //! error@3: void function 'k' should not return a value [-Wreturn-mismatch]
}
