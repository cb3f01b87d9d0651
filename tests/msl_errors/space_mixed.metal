#include <metal_stdlib>
kernel void k(device float *a, constant float *b) {
  a = b; //! error@7: assigning to 'device float *' from 'constant float *' discards qualifiers
}
