#include <metal_stdlib>
using namespace metal;

kernel void k(device int *a [[id(0)]]) { //! error@31: 'id' attribute only applies to data members
  a[0] = 1;
}
