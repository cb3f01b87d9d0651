#include <metal_stdlib>
using namespace metal;

kernel void k(device float *a) {
  thread float *p = &(1 + 2); //! error@21: cannot take the address of an rvalue of type 'int'
  a[0] = *p;
}
