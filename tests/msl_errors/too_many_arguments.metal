#include <metal_stdlib>
using namespace metal;

float f(float x, float y) { return x + y; } //! note@7: candidate function not viable: requires 2 arguments, but 3 were provided
kernel void k(device float *a) {
  a[0] = f(1, 2, 3); //! error@10: no matching function for call to 'f'
}
