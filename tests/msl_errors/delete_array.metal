#include <metal_stdlib>
using namespace metal;

kernel void k(device float *a) {
  delete[] a; //! error@12: 'delete' cannot delete objects of type 'float'
}
