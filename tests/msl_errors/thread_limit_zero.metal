#include <metal_stdlib>
using namespace metal;

[[max_total_threads_per_threadgroup(0)]] kernel void k(device float *a) { a[0] = 1; } //! error@3: 'max_total_threads_per_threadgroup' requires a positive integer constant
