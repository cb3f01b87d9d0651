#include <metal_stdlib>
using namespace metal;

struct A {
  thread int *x; //! error@15: member 'x' of a struct in a buffer must point to the address space 'device' or 'constant'
};
kernel void k(constant A &a) {}
