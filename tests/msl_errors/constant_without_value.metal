#include <metal_stdlib>
using namespace metal;

constant float x; //! error@16: default initialization of an object of const type 'constant float'
kernel void k(device float *a) {
  a[0] = x;
}
