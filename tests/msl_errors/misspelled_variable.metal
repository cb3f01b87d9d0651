#include <metal_stdlib>
using namespace metal;

kernel void k(device float *a) {
  float factor = 2; //! note@9: 'factor' declared here
  a[0] = facter; //! error@10: use of undeclared identifier 'facter'; did you mean 'factor'?
}
