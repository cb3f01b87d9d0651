#include <metal_stdlib>
using namespace metal;

kernel void k(device int *a) {
  auto next = [] [[host_name("next")]] (int x) { return x + 1; }; //! error@20: 'host_name' attribute only applies to functions
  a[0] = next(1);
}
