#include <metal_stdlib>
using namespace metal;

struct A {
  device int *x [[id(-1)]]; //! error@19: 'id' attribute requires a non-negative integer constant
};
kernel void k(constant A &a) {}
