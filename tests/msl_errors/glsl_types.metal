#include <metal_stdlib>
using namespace metal;

kernel void k(device float *a) {
  vec4 v = vec4(1.0); //! error@3: use of undeclared identifier 'vec4'; did you mean 'vec'? //! error@3: unknown type name 'vec4' //! error@12: use of undeclared identifier 'vec4'
  a[0] = v.x;
}
