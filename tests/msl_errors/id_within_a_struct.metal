#include <metal_stdlib>
using namespace metal;

struct B {
  device int *p;
  device int *q;
};
struct A {
  B x [[id(2)]]; //! note@5: the other member is here
  B y [[id(3)]]; //! error@9: 'id' 3 is used by more than one member
};
kernel void k(device A *a) {}
