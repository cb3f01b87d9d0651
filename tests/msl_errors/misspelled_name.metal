#include <metal_stdlib>
using namespace metal;

kernel void k(device float *a) {
  a[0] = lenght(float3(a[0])); //! error@10: use of undeclared identifier 'lenght'; did you mean 'length'?
}
