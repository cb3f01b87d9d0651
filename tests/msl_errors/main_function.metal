#include <metal_stdlib>
using namespace metal;

int main() { return 0; } //! error@5: a function cannot be called 'main' in Metal
kernel void k(device float *a) {
  a[0] = 1;
}
