#include <metal_stdlib>
using namespace metal;

kernel void k(device atomic_int *c) {
  atomic_fetch_add_explicit(c, 1); //! error@3: no matching function for call to 'atomic_fetch_add_explicit'
}
