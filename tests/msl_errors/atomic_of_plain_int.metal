#include <metal_stdlib>
using namespace metal;

kernel void k(device int *c) {
  atomic_fetch_add_explicit(c, 1, memory_order_relaxed); //! error@3: no matching function for call to 'atomic_fetch_add_explicit'
}
