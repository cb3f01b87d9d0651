#include <metal_stdlib>
kernel void k(device float *a) {
  threadgroup float t = 1; //! error@21: threadgroup variable 't' cannot be initialised
  a[0] = t;
}
