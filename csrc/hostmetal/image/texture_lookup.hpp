/// What kernels ask of textures beyond the plain formats: HmRuntime's functions of these names.
#pragma once

#include "hostmetal/image/abi.h"

namespace hostmetal::image {

void load_texel(uint32_t format, const uint8_t *from, uint32_t *components);
void store_texel(uint32_t format, uint8_t *to, const uint32_t *components);
void look_up_texture(const HmTexture *texture, uint64_t sampler, const HmTextureLookup *lookup,
                     uint32_t *results);

} // namespace hostmetal::image
