#include <metal_stdlib>
kernel void k(device float *a) {
  a[0] = bb; //! error@10: use of undeclared identifier 'bb'
}
