#include <metal_stdlib>
kernel void k(device float *a, float b) {} //! error@38: argument 'b' of type 'float' needs an attribute that says where its value comes from
