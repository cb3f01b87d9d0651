#include <metal_stdlib>
using namespace metal;

struct A {
  device int *x [[id(2)]]; //! note@15: the other member is here
  device int *y [[id(2)]]; //! error@19: 'id' 2 is used by more than one member
};
kernel void k(constant A &a) {}
