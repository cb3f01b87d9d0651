#include <metal_stdlib>
using namespace metal;

kernel void k(device float *a) {
  printf("%f", a[0]); //! error@3: use of undeclared identifier 'printf'
}
