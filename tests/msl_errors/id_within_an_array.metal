#include <metal_stdlib>
using namespace metal;

struct A {
  array<device int *, 3> x [[id(2)]]; //! note@26: the other member is here
  device int *y [[id(4)]]; //! error@19: 'id' 4 is used by more than one member
};
kernel void k(constant A *a) {}
