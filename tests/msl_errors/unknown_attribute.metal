#include <metal_stdlib>
kernel void k(device float *a [[bufer(0)]]) {} //! error@33: unknown attribute 'bufer' [-Werror,-Wunknown-attributes]
