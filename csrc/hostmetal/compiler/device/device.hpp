// Shared by the device library's sources. They are compiled by clang only, to bitcode, and see
// neither the C nor the C++ library's headers.
#pragma once

#include "hostmetal/image/abi.h"

#include <stdint.h>

using half = _Float16;
using bfloat = __bf16;

// Defines a builtin under its AIR name.
#define AIR(name) __asm__("air." name)

// What the executor provides; see intrinsic:: in lowering/air_kernel.hpp.
extern "C" {
__attribute__((convergent)) void hm_threadgroup_barrier();
__attribute__((convergent)) const void *hm_simd_exchange(const void *value, uint32_t size);
void hm_log(const char *subsystem, const char *category, uint32_t type, const char *format,
            const void *arguments, uint64_t size);
__attribute__((const)) uint32_t hm_thread_index_in_simdgroup();
void hm_load_texel(uint32_t format, const uint8_t *from, void *components);
void hm_store_texel(uint32_t format, uint8_t *to, const void *components);
void hm_look_up_texture(const HmTexture *texture, uint64_t sampler, const HmTextureLookup *lookup,
                        void *results);
}
