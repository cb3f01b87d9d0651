#include <metal_stdlib>
kernel void k(device int *a) {
  static int n = 0; //! error@14: variable 'n' inside of a function cannot be 'static'
  a[0] = n++;
}
