#include <metal_stdlib>
using namespace metal;

kernel void k(device float *a) {
  a[0] = 1;
}
} //! error@1: extraneous closing brace ('}')
