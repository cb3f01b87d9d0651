#include <metal_stdlib>
using namespace metal;

template <typename T> T f(T x, T y) { return x + y; } //! note@25: candidate template ignored: deduced conflicting types for parameter 'T' ('float' vs. 'int')
kernel void k(device float *a) {
  a[0] = f(a[0], 1); //! error@10: no matching function for call to 'f'
}
