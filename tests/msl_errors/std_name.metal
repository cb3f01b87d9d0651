#include <metal_stdlib>
using namespace metal;

kernel void k(device float *a) {
  a[0] = std::sqrt(a[1]); //! error@10: use of undeclared identifier 'std'
}
