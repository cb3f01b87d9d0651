#include <metal_stdlib>
using namespace metal;

kernel void k(device float *a) {
  auto f = [](auto self, int n) -> int { return n ? self(self, n - 1) : 0; }; //! error@53: recursive call of function 'operator()' is not supported in Metal
  a[0] = f(f, 3);
}
