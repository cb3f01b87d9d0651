#include <metal_stdlib>
using namespace metal;

kernel void k(device float *a) {
  switch (int(a[0])) {
  case 1: //! note@8: previous case defined here
  case 1: //! error@8: duplicate case value '1'
    a[0] = 1;
  }
}
