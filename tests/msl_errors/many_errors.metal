#include <metal_stdlib>
using namespace metal;

kernel void k(device float *a) {
  x0; //! error@3: use of undeclared identifier 'x0'
  x1; //! error@3: use of undeclared identifier 'x1'
  x2; //! error@3: use of undeclared identifier 'x2'
  x3; //! error@3: use of undeclared identifier 'x3'
}
