#include <metal_stdlib>
vertex void v(device int *a) {} //! error@13: 'vertex' functions are not supported: only kernels are
