#include <metal_stdlib>
using namespace metal;

kernel void k(device float *a) {
  a[0] = threadIdx.x; //! error@10: use of undeclared identifier 'threadIdx'
  __syncthreads(); //! error@3: use of undeclared identifier '__syncthreads'
}
