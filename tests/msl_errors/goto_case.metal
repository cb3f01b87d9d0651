#include <metal_stdlib>
using namespace metal;

kernel void k(device float *a) {
  goto 3; //! error@8: expected identifier
}
