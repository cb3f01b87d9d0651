#include <metal_stdlib>
using namespace metal;

struct B {
  float x;
};
struct D : virtual B {}; //! error@8: virtual base classes are not supported in Metal
kernel void k(device float *a) {
  D d;
  d.x = 1;
  a[0] = d.x;
}
