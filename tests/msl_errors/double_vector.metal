#include <metal_stdlib>
using namespace metal;

kernel void k(device float *a) {
  double2 x = 1; //! error@3: use of undeclared identifier 'double2'; did you mean 'double'?
  a[0] = x.x; //! error@11: member reference base type 'double' is not a structure or union
}
