#include <metal_stdlib>
using namespace metal;

struct S {
  float x;
};
kernel void k(device float *a, S s) { //! error@34: argument 's' of type 'S' needs an attribute that says where its value comes from
  a[0] = s.x;
}
