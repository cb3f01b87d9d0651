#include <metal_stdlib>
using namespace metal;

kernel void k(device float *a) {
  a[0] = *(thread float *)a; //! error@11: cannot convert a pointer to address space 'device' to a pointer to address space 'thread'
}
