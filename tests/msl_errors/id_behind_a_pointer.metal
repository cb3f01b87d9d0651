#include <metal_stdlib>
using namespace metal;

struct B {
  device int *p [[id(1)]]; //! note@15: the other member is here
  device int *q [[id(1)]]; //! error@19: 'id' 1 is used by more than one member
};
struct A {
  device B *x;
};
kernel void k(device A *a) {}
