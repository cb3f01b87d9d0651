#include <metal_stdlib>
using namespace metal;

kernel void k(device float *a) {
  a[0] = *(threadgroup float *)a; //! error@11: C-style cast from 'device float *' to 'threadgroup float *' converts between mismatching address spaces
}
