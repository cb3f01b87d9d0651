#include <metal_stdlib>
using namespace metal;

struct S {
  S() = delete; //! note@3: 'S' has been explicitly marked deleted here
  float x;
};
kernel void k(device float *a) {
  S s; //! error@5: call to deleted constructor of 'S'
  a[0] = s.x;
}
