#include <metal_stdlib>
using namespace metal;

kernel void k(device atomic_int *c) {
  c[0] += 1; //! error@8: no viable overloaded '+='
}
