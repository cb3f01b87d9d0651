#include <metal_stdlib>
using namespace metal;

kernel void k(device float *a) {
  a[0] = sizeof("x);
//! warning-1@17: missing terminating '"' character [-Winvalid-pp-token] //! error-1@17: expected expression
}
