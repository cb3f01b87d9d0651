#include <metal_stdlib>
using namespace metal;

kernel void k(device float *a) {
  float1x4 m; //! error@3: unknown type name 'float1x4'
  a[0] = saturate(mul(1.0f, a[0])); //! error@19: use of undeclared identifier 'mul'
}
