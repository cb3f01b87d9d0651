#include <metal_stdlib>
using namespace metal;

constant int first [[buffer(1)]] = 1; //! error@22: 'buffer' attribute only applies to parameters and data members
kernel constant int second = 2; //! error@1: 'kernel' attribute only applies to functions

kernel void k(device int *a) {
  a[0] = first + second;
}
