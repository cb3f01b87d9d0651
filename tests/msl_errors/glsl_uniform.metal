#include <metal_stdlib>
using namespace metal;

uniform float x; //! error@9: cannot combine with previous 'type-name' declaration specifier //! error@15: no viable constructor or deduction guide for deduction of template arguments of 'uniform'
kernel void k(device float *a) {
  a[0] = x;
}
