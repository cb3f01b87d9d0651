#pragma once

#include "hostmetal/image/abi.h"

namespace hostmetal::image {

/// Fills every level but the first with the means of the level above: of up to 2 x 2 pixels, or 2 x
/// 2 x 2 where the images are a texture's depth. Pixels are weighted by what they cover where a
/// size is odd. Not for integers.
void generate_mipmaps(const HmTexture &texture, bool is_volume);

} // namespace hostmetal::image
