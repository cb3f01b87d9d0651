#include <metal_stdlib>
using namespace metal;

#define TWICE(x) ((x) * 2) //! note@9: macro 'TWICE' defined here
kernel void k(device float *a) { a[0] = TWICE(1, 2); } //! error@50: too many arguments provided to function-like macro invocation //! error@41: use of undeclared identifier 'TWICE'
