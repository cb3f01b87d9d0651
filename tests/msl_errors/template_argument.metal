#include <metal_stdlib>
using namespace metal;

template <int N> struct S { //! note@15: template parameter is declared here
  float x;
};
kernel void k(device float *a) {
  S<float> s; //! error@5: template argument for non-type template parameter must be an expression
  a[0] = s.x;
}
