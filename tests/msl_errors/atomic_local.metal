#include <metal_stdlib>
using namespace metal;

kernel void k(device float *a) {
  atomic_int c;
  atomic_store_explicit(&c, 1, memory_order_relaxed); //! error@3: no matching function for call to 'atomic_store_explicit'
  a[0] = 1;
}
