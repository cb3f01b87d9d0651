#include <metal_stdlib>
using namespace metal;

struct S {
  float x;
};
kernel void k(device float *a, constant S *s) {
  a[0] = s.x; //! error@11: member reference type 'constant S *' is a pointer; did you mean to use '->'?
}
