#include <metal_stdlib>
using namespace metal;

kernel void k(device float *a) {
  const char own[2] = {'a', 'b'};
  constant char *text = own; //! error@18: cannot initialize a variable of type 'constant char *' with an lvalue of type 'const char[2]'
  a[0] = text[0];
}
