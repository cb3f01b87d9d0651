#include <metal_stdlib>
using namespace metal;

kernel void k(device float *a) {
  a[0] = 99999999999999999999; //! error@10: integer literal is too large to be represented in any integer type //! warning@10: implicit conversion from 'unsigned long long' to 'float' changes value from 7766279631452241919 to 7766279436516720640 [-Wimplicit-const-int-float-conversion]
}
