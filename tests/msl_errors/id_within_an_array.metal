#include <metal_stdlib>
using namespace metal;

struct A {
  array<device int *, 3> x [[id(2)]];
  device int *y [[id(4)]]; //! error@19: 'id' 4 is used by more than one member
};
kernel void k(constant A *a) {}
