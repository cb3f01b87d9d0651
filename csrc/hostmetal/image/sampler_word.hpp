/// A sampler as kernels know it, taken apart, and its address modes.
#pragma once

#include "hostmetal/image/abi.h"
#include "hostmetal/image/texel.hpp"

namespace hostmetal::image {

/// The fields of a sampler's word. See abi.h.
class Sampler {
public:
  explicit Sampler(uint64_t word) : word_(word) {}
  bool is_linear(bool is_minified) const {
    return field(is_minified ? HM_SAMPLER_MIN_FILTER : HM_SAMPLER_MAG_FILTER, 1);
  }
  uint32_t mip_filter() const { return field(HM_SAMPLER_MIP_FILTER, 2); }
  uint32_t address_mode(uint32_t axis) const { return field(HM_SAMPLER_S_ADDRESS + 3 * axis, 3); }
  bool has_pixel_coordinates() const { return field(HM_SAMPLER_PIXEL_COORD, 1); }
  uint32_t border_color() const { return field(HM_SAMPLER_BORDER_COLOR, 2); }
  uint32_t compare_function() const { return field(HM_SAMPLER_COMPARE, 3); }
  float least_level() const { return half(HM_SAMPLER_LOD_MIN); }
  float largest_level() const { return half(HM_SAMPLER_LOD_MAX); }

private:
  uint32_t field(uint32_t from, uint32_t bits) const {
    return static_cast<uint32_t>(word_ >> from) & ((1u << bits) - 1);
  }
  float half(uint32_t from) const { return texel::half_to_float(Words(field(from, 16))).x; }

  uint64_t word_;
};

enum AddressMode : uint32_t {
  clamp_to_edge,
  mirror_clamp_to_edge,
  repeat,
  mirror_repeat,
  clamp_to_zero,
  clamp_to_border
};
enum MipFilter : uint32_t { not_mipmapped, nearest, linear };

inline int32_t modulo(int32_t value, int32_t divisor) {
  const int32_t rest = value % divisor;
  return rest < 0 ? rest + divisor : rest;
}

/// Where a texel's index along an axis of `size` texels leads; negative: outside of the texture.
inline int32_t addressed(int32_t index, int32_t size, uint32_t mode) {
  switch (mode) {
  case repeat:
    return modulo(index, size);
  case mirror_repeat: {
    const int32_t place = modulo(index, 2 * size);
    return place < size ? place : 2 * size - 1 - place;
  }
  case clamp_to_zero:
  case clamp_to_border:
    return index < size ? index : -1;
  default: {
    const int32_t place = mode == mirror_clamp_to_edge && index < 0 ? -1 - index : index;
    return place < 0 ? 0 : place < size ? place : size - 1;
  }
  }
}

} // namespace hostmetal::image
