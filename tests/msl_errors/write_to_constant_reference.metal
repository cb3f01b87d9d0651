#include <metal_stdlib>
using namespace metal;

kernel void k(constant float &a) { //! note@31: variable 'a' declared const here
  a = 1; //! error@5: cannot assign to variable 'a' with const-qualified type 'constant float &'
}
