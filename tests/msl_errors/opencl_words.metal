#include <metal_stdlib>
using namespace metal;

kernel void k(device float *a) {
  int i = get_global_id(0); //! error@11: use of undeclared identifier 'get_global_id'
  a[i] = 1;
}
