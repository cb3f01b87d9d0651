#include "hostmetal/image/pixel_format.hpp"

#include "hostmetal/image/texel.hpp"

#include <algorithm>
#include <iterator>

namespace hostmetal::image {
namespace {

constexpr HmTexelFormat components(TexelKind kind, uint8_t count, uint8_t bits) {
  return {static_cast<uint8_t>(kind), count, bits, static_cast<uint8_t>(count * bits / 8)};
}
constexpr HmTexelFormat packed(TexelKind kind, uint8_t count, uint8_t bytes) {
  return {static_cast<uint8_t>(kind), count, 0, bytes};
}

constexpr auto floating = TexelClass::floating;
constexpr auto sint = TexelClass::sint;
constexpr auto uint = TexelClass::uint;
constexpr auto depth = TexelClass::depth;
using enum TexelKind;

// Ascending values.
constexpr PixelFormat formats[] = {
    {1, "A8Unorm", floating, packed(alpha_unorm, 1, 1)},
    {10, "R8Unorm", floating, components(unorm, 1, 8)},
    {11, "R8Unorm_sRGB", floating, components(srgb, 1, 8)},
    {12, "R8Snorm", floating, components(snorm, 1, 8)},
    {13, "R8Uint", uint, components(uint_, 1, 8)},
    {14, "R8Sint", sint, components(sint_, 1, 8)},
    {20, "R16Unorm", floating, components(unorm, 1, 16)},
    {22, "R16Snorm", floating, components(snorm, 1, 16)},
    {23, "R16Uint", uint, components(uint_, 1, 16)},
    {24, "R16Sint", sint, components(sint_, 1, 16)},
    {25, "R16Float", floating, components(float_, 1, 16)},
    {30, "RG8Unorm", floating, components(unorm, 2, 8)},
    {31, "RG8Unorm_sRGB", floating, components(srgb, 2, 8)},
    {32, "RG8Snorm", floating, components(snorm, 2, 8)},
    {33, "RG8Uint", uint, components(uint_, 2, 8)},
    {34, "RG8Sint", sint, components(sint_, 2, 8)},
    {40, "B5G6R5Unorm", floating, packed(b5g6r5_unorm, 3, 2)},
    {41, "A1BGR5Unorm", floating, packed(a1bgr5_unorm, 4, 2)},
    {42, "ABGR4Unorm", floating, packed(abgr4_unorm, 4, 2)},
    {43, "BGR5A1Unorm", floating, packed(bgr5a1_unorm, 4, 2)},
    {53, "R32Uint", uint, components(uint_, 1, 32)},
    {54, "R32Sint", sint, components(sint_, 1, 32)},
    {55, "R32Float", floating, components(float_, 1, 32)},
    {60, "RG16Unorm", floating, components(unorm, 2, 16)},
    {62, "RG16Snorm", floating, components(snorm, 2, 16)},
    {63, "RG16Uint", uint, components(uint_, 2, 16)},
    {64, "RG16Sint", sint, components(sint_, 2, 16)},
    {65, "RG16Float", floating, components(float_, 2, 16)},
    {70, "RGBA8Unorm", floating, components(unorm, 4, 8)},
    {71, "RGBA8Unorm_sRGB", floating, components(srgb, 4, 8)},
    {72, "RGBA8Snorm", floating, components(snorm, 4, 8)},
    {73, "RGBA8Uint", uint, components(uint_, 4, 8)},
    {74, "RGBA8Sint", sint, components(sint_, 4, 8)},
    {80, "BGRA8Unorm", floating, components(bgra_unorm, 4, 8)},
    {81, "BGRA8Unorm_sRGB", floating, components(bgra_srgb, 4, 8)},
    {90, "RGB10A2Unorm", floating, packed(rgb10a2_unorm, 4, 4)},
    {91, "RGB10A2Uint", uint, packed(rgb10a2_uint, 4, 4)},
    {92, "RG11B10Float", floating, packed(rg11b10_float, 3, 4)},
    {93, "RGB9E5Float", floating, packed(rgb9e5_float, 3, 4)},
    {94, "BGR10A2Unorm", floating, packed(bgr10a2_unorm, 4, 4)},
    {103, "RG32Uint", uint, components(uint_, 2, 32)},
    {104, "RG32Sint", sint, components(sint_, 2, 32)},
    {105, "RG32Float", floating, components(float_, 2, 32)},
    {110, "RGBA16Unorm", floating, components(unorm, 4, 16)},
    {112, "RGBA16Snorm", floating, components(snorm, 4, 16)},
    {113, "RGBA16Uint", uint, components(uint_, 4, 16)},
    {114, "RGBA16Sint", sint, components(sint_, 4, 16)},
    {115, "RGBA16Float", floating, components(float_, 4, 16)},
    {123, "RGBA32Uint", uint, components(uint_, 4, 32)},
    {124, "RGBA32Sint", sint, components(sint_, 4, 32)},
    {125, "RGBA32Float", floating, components(float_, 4, 32)},
    {250, "Depth16Unorm", depth, components(unorm, 1, 16)},
    {252, "Depth32Float", depth, components(float_, 1, 32)},
};

} // namespace

const PixelFormat *find_pixel_format(uint32_t value) {
  const auto *found = std::ranges::lower_bound(formats, value, {}, &PixelFormat::value);
  return found != std::end(formats) && found->value == value ? found : nullptr;
}

bool are_compatible(const PixelFormat &a, const PixelFormat &b) {
  return a.value == b.value || (a.texel.bytes == b.texel.bytes && a.texel.bits == b.texel.bits &&
                                a.texel_class != depth && b.texel_class != depth);
}

} // namespace hostmetal::image
