#include <metal_stdlib>
using namespace metal;

float f(int x) { return x; } //! note@7: candidate function
float f(uint x) { return x; } //! note@7: candidate function
kernel void k(device float *a) {
  a[0] = f(1L); //! error@10: call to 'f' is ambiguous
}
