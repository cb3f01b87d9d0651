#include <metal_stdlib>
using namespace metal;

float f() { return 1; } //! note@7: previous definition is here
float f() { return 2; } //! error@7: redefinition of 'f'
kernel void k(device float *a) {
  a[0] = f();
}
