// The names that <simd/simd.h> shares between host and kernels.
#pragma once

#include <metal_stdlib>

#define __metal_name_simd(T)                                                                       \
  typedef T##2 vector_##T##2;                                                                      \
  typedef T##3 vector_##T##3;                                                                      \
  typedef T##4 vector_##T##4;                                                                      \
  typedef T##2 simd_##T##2;                                                                        \
  typedef T##3 simd_##T##3;                                                                        \
  typedef T##4 simd_##T##4;
__metal_each_scalar(__metal_name_simd)

    typedef float2x2 matrix_float2x2;
typedef float3x3 matrix_float3x3;
typedef float4x4 matrix_float4x4;
typedef float2x2 simd_float2x2;
typedef float3x3 simd_float3x3;
typedef float4x4 simd_float4x4;

namespace simd {
__metal_each_scalar(__metal_use_vectors) __metal_use_matrices(float) __metal_use_matrices(half)
} // namespace simd
