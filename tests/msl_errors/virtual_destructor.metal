#include <metal_stdlib>
using namespace metal;

struct S {
  virtual ~S() {} //! error@11: virtual functions are not supported in Metal
  float x;
};
kernel void k(device float *a) {
  S s;
  a[0] = s.x;
}
