#include <metal_stdlib>
using namespace metal;

kernel void k(device float *a) {
  int unused = 1.5f; //! warning@16: implicit conversion from 'float' to 'int' changes value from 1.5 to 1 [-Wliteral-conversion]
  a[0] = y; //! error@10: use of undeclared identifier 'y'
}
