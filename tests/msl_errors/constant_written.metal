#include <metal_stdlib>
constant int c = 1; //! note@14: variable 'c' declared const here
kernel void k(device int *a) {
  c = 2; //! error@5: cannot assign to variable 'c' with const-qualified type 'constant int'
}
