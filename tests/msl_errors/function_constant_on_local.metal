#include <metal_stdlib>
using namespace metal;

kernel void k(device int *a) {
  int n [[function_constant(0)]] = 1; //! error@11: 'function_constant' attribute only applies to global variables, parameters and data members
  a[0] = n;
}
