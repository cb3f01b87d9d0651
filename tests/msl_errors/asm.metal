#include <metal_stdlib>
kernel void k(device int *a) {
  asm("nop"); //! error@3: inline assembly is not supported in Metal
}
