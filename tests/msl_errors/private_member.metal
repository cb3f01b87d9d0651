#include <metal_stdlib>
using namespace metal;

class S {
  float x; //! note@9: implicitly declared private here
};
kernel void k(device float *a) {
  S s;
  a[0] = s.x; //! error@12: 'x' is a private member of 'S'
}
