#include <metal_stdlib>
using namespace metal;

kernel void k(device int *a) {
  int b [[buffer(1)]] = 2; //! error@11: 'buffer' attribute only applies to parameters and data members
  [[host_name("c")]] int c = b; //! error@5: 'host_name' attribute only applies to functions
  for (int i [[id(3)]] = 0; i < 4; ++i) //! error@16: 'id' attribute only applies to data members
    a[i] = c;
}
