#include <metal_stdlib>
using namespace metal;

float f(float x, float y) { return x + y; } //! note@7: candidate function not viable: requires 2 arguments, but 1 was provided
kernel void k(device float *a) {
  a[0] = f(1); //! error@10: no matching function for call to 'f'
}
