#include <metal_stdlib>
kernel void k(device int *a) {
  try { a[0] = 1; } catch (...) {} //! error@3: 'try' is not supported in Metal
}
