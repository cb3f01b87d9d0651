#include <metal_stdlib>
using namespace metal;

kernel void k(device float *a) {
  break; //! error@3: 'break' statement not in loop or switch statement
}
