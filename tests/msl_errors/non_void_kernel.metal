#include <metal_stdlib>
kernel float k(device float *a) { return a[0]; } //! error@14: kernel must have void return type, not 'float'
