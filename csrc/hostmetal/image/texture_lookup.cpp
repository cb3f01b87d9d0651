#include "hostmetal/image/texture_lookup.hpp"

#include "hostmetal/image/cube_face.hpp"
#include "hostmetal/image/sampler_word.hpp"
#include "hostmetal/image/texel.hpp"

#include <cmath>

namespace hostmetal::image {
namespace {

/// The number of a texture's coordinates; a cube has three, which are a direction.
enum Shape : uint32_t { line = 1, plane = 2, volume = 3, cube = 4 };

/// Texels and their weights in one level.
struct Footprint {
  Words texels[8];
  float weights[8];
};

/// One use of a sampler.
class Lookup {
public:
  Lookup(const HmTexture &texture, uint64_t sampler, const HmTextureLookup &request)
      : texture_(texture), sampler_(sampler), request_(request), shape_(request.shape),
        axes_(request.shape == cube ? 2 : request.shape) {
    for (unsigned axis = 0; axis < 4; ++axis)
      coordinate_[axis] = std::isnan(request.coordinate[axis]) ? 0 : request.coordinate[axis];
    // Slices beyond the last are the last.
    const uint32_t images = texture_.levels[0].images, slice = request.slice;
    if (shape_ != cube) {
      image_ = slice < images ? slice : images - 1;
      return;
    }
    const FaceView view(coordinate_);
    const Floats seen = view.of(coordinate_);
    image_ = (slice < images / 6 ? slice : images / 6 - 1) * 6;
    face_ = view.face;
    distance_ = seen.z != 0.0f ? seen.z : 1.0f;
    coordinate_ =
        Floats{(seen.x / distance_ + 1.0f) * 0.5f, (seen.y / distance_ + 1.0f) * 0.5f, 0, 0};
  }

  /// The filtered result of `value`, which makes words of a texel.
  template <class Value> Words sample(Value value) const {
    const float level = request_.level, least_level = request_.least_level;
    float lod = level > sampler_.least_level() ? level : sampler_.least_level();
    lod = lod < sampler_.largest_level() ? lod : sampler_.largest_level();
    lod = lod > least_level ? lod : least_level;
    const bool is_linear = sampler_.is_linear(lod > 0.0f);
    const auto last = static_cast<float>(texture_.level_count - 1);
    lod = lod > 0.0f ? (lod < last ? lod : last) : 0.0f;
    switch (sampler_.mip_filter()) {
    case nearest:
      return filtered(static_cast<uint32_t>(lod + 0.5f), is_linear, value);
    case linear: {
      const auto lower = static_cast<uint32_t>(lod);
      const float part = lod - static_cast<float>(lower);
      const Words first = filtered(lower, is_linear, value);
      if (part == 0.0f || is_integer(texture_.format))
        return first;
      const Words second = filtered(lower + 1, is_linear, value);
      return texel::words(texel::floats(first) * (1.0f - part) + texel::floats(second) * part);
    }
    default:
      return filtered(0, is_linear, value);
    }
  }

  /// `value` of the four texels around the coordinate, against the clock from below left.
  template <class Value> Words gather(Value value) const {
    Footprint around;
    collect(0, true, around);
    return Words{value(around.texels[2]), value(around.texels[3]), value(around.texels[1]),
                 value(around.texels[0])};
  }

  /// Whether `reference` compares with `depth` as the sampler wants.
  bool passes(float reference, float depth) const {
    switch (sampler_.compare_function()) {
    case 1:
      return reference < depth;
    case 2:
      return reference == depth;
    case 3:
      return reference <= depth;
    case 4:
      return reference > depth;
    case 5:
      return reference != depth;
    case 6:
      return reference >= depth;
    case 7:
      return true;
    default:
      return false;
    }
  }

  /// The level at which the longer of the steps from pixel to pixel is one texel long.
  float gradient_level() const {
    const float x = texels_squared(request_.dx), y = texels_squared(request_.dy);
    return 0.5f * std::log2(x > y ? x : y);
  }

private:
  int32_t size(uint32_t level, uint32_t axis) const {
    const HmTextureLevel &of = texture_.levels[level];
    return static_cast<int32_t>(axis == 0 ? of.width : axis == 1 ? of.height : of.images);
  }

  /// In texels; far from what an integer cannot hold.
  float position(uint32_t axis, int32_t size, uint32_t mode) const {
    float place = coordinate_[axis];
    if (!sampler_.has_pixel_coordinates() || shape_ == cube) {
      if (mode == repeat)
        place -= std::floor(place);
      else if (mode == mirror_repeat)
        place -= 2.0f * std::floor(place * 0.5f);
      place *= static_cast<float>(size);
    }
    constexpr float limit = 0x1p30f;
    if (!(place >= -limit)) // or no number: what is left of infinity
      return place < -limit ? -limit : 0.0f;
    return place < limit ? place : limit;
  }

  template <class Value> Words filtered(uint32_t level, bool is_linear, Value value) const {
    Footprint around;
    if (!is_linear || is_integer(texture_.format)) {
      collect(level, false, around);
      return value(around.texels[0]);
    }
    collect(level, true, around);
    Floats sum(0.0f);
    // Texels of no weight may be infinite.
    for (uint32_t tap = 0; tap < 1u << axes_; ++tap)
      if (around.weights[tap] != 0.0f)
        sum += texel::floats(value(around.texels[tap])) * around.weights[tap];
    return texel::words(sum);
  }

  /// The texel at the coordinate, or the two per axis around it: bit n of a texel's number says
  /// which of them along axis n.
  void collect(uint32_t level, bool is_linear, Footprint &around) const {
    int32_t first[3] = {0, 0, 0};
    float part[3] = {0, 0, 0};
    uint32_t modes[3] = {0, 0, 0};
    for (uint32_t axis = 0; axis < axes_; ++axis) {
      modes[axis] = shape_ == cube ? uint32_t{clamp_to_border} : sampler_.address_mode(axis);
      const float place =
          position(axis, size(level, axis), modes[axis]) - (is_linear ? 0.5f : 0.0f);
      const float below = std::floor(place);
      first[axis] = static_cast<int32_t>(below) + (shape_ == cube ? 0 : request_.offset[axis]);
      part[axis] = place - below;
    }
    const uint32_t taps = is_linear ? 1u << axes_ : 1;
    for (uint32_t tap = 0; tap < taps; ++tap) {
      int32_t index[3] = {0, 0, 0};
      float weight = 1.0f;
      for (uint32_t axis = 0; axis < axes_; ++axis) {
        const bool is_upper = tap >> axis & 1;
        index[axis] = first[axis] + (is_upper ? 1 : 0);
        weight *= is_upper ? part[axis] : 1.0f - part[axis];
      }
      around.weights[tap] = weight;
      around.texels[tap] =
          shape_ == cube ? texel_of_cube(level, index) : texel_at(level, index, modes);
    }
    if (shape_ == cube && is_linear)
      fill_corner(level, first, around);
  }

  Words load(uint32_t level, int32_t x, int32_t y, uint32_t image) const {
    const HmTextureLevel &of = texture_.levels[level];
    return load_texel(texture_.format,
                      of.pixels + image * of.bytes_per_image +
                          static_cast<uint32_t>(y) * of.bytes_per_row +
                          uint64_t{static_cast<uint32_t>(x)} * texture_.format.bytes);
  }

  Words texel_at(uint32_t level, const int32_t *index, const uint32_t *modes) const {
    int32_t place[3] = {0, 0, 0};
    for (uint32_t axis = 0; axis < axes_; ++axis) {
      place[axis] = addressed(index[axis], size(level, axis), modes[axis]);
      if (place[axis] < 0)
        return outside(modes[axis]);
    }
    return load(level, place[0], place[1],
                shape_ == volume ? static_cast<uint32_t>(place[2]) : image_);
  }

  Words outside(uint32_t mode) const {
    const uint32_t one = is_integer(texture_.format) ? 1 : float_one;
    if (mode == clamp_to_zero)
      return Words{0, 0, 0, has_alpha(texture_.format) ? 0 : one};
    switch (sampler_.border_color()) {
    case 0:
      return Words(0);
    case 1:
      return Words{0, 0, 0, one};
    default:
      return Words(one);
    }
  }

  /// Beyond an edge of its face a cube goes on with the face next to it.
  Words texel_of_cube(uint32_t level, const int32_t *index) const {
    const int32_t length = size(level, 0);
    int32_t x = index[0], y = index[1];
    uint32_t face = face_;
    if (x < 0 || y < 0 || x >= length || y >= length) {
      const float scale = 2.0f / static_cast<float>(length);
      const Floats direction =
          FaceView(face).direction((static_cast<float>(x) + 0.5f) * scale - 1.0f,
                                   (static_cast<float>(y) + 0.5f) * scale - 1.0f);
      const FaceView next(direction);
      const Floats seen = next.of(direction);
      face = next.face;
      x = on_face(seen.x / seen.z, length);
      y = on_face(seen.y / seen.z, length);
    }
    return load(level, x, y, image_ + face);
  }
  static int32_t on_face(float place, int32_t length) {
    const auto index = static_cast<int32_t>((place + 1.0f) * 0.5f * static_cast<float>(length));
    return index < 0 ? 0 : index < length ? index : length - 1;
  }

  /// Three texels meet at a corner of a cube; their mean stands for the fourth.
  void fill_corner(uint32_t level, const int32_t *first, Footprint &around) const {
    const int32_t length = size(level, 0);
    const bool is_left = first[0] < 0, is_top = first[1] < 0;
    if ((!is_left && first[0] + 1 < length) || (!is_top && first[1] + 1 < length))
      return;
    const uint32_t corner = (is_left ? 0u : 1u) | (is_top ? 0u : 2u);
    Floats sum(0.0f);
    for (uint32_t tap = 0; tap < 4; ++tap)
      if (tap != corner)
        sum += texel::floats(around.texels[tap]);
    if (!is_integer(texture_.format))
      around.texels[corner] = texel::words(sum / Floats(3.0f));
  }

  float texels_squared(const float *given) const {
    const Floats step{given[0], given[1], given[2], given[3]};
    float sum = 0.0f;
    if (shape_ == cube) {
      const FaceView view(face_);
      const Floats moved = view.of(step);
      // The derivative of the place on the face, whose distance is 1.
      const float right = coordinate_.x * 2.0f - 1.0f, down = coordinate_.y * 2.0f - 1.0f;
      const float x = (moved.x - right * moved.z) / distance_ * 0.5f,
                  y = (moved.y - down * moved.z) / distance_ * 0.5f;
      const auto length = static_cast<float>(size(0, 0));
      return (x * x + y * y) * length * length;
    }
    for (uint32_t axis = 0; axis < axes_; ++axis) {
      const float scale =
          sampler_.has_pixel_coordinates() ? 1.0f : static_cast<float>(size(0, axis));
      sum += step[axis] * scale * step[axis] * scale;
    }
    return sum;
  }

  const HmTexture &texture_;
  Sampler sampler_;
  const HmTextureLookup &request_;
  uint32_t shape_;
  uint32_t axes_;
  uint32_t image_ = 0; ///< the slice, or the first face of the cube
  uint32_t face_ = 0;
  float distance_ = 1.0f; ///< of a direction's end from the face's plane
  Floats coordinate_;
};

Words results_of(const Lookup &lookup, const HmTextureLookup &request) {
  using texel::floats;
  const auto compared = [&](Words texel) {
    return lookup.passes(request.reference, floats(texel).x) ? float_one : 0u;
  };
  switch (request.operation) {
  case HM_LOOKUP_SAMPLE:
    return lookup.sample([](Words texel) { return texel; });
  case HM_LOOKUP_SAMPLE_COMPARE:
    return lookup.sample([&](Words texel) { return Words(compared(texel)); });
  case HM_LOOKUP_GATHER:
    return lookup.gather([&](Words texel) { return texel[request.component & 3]; });
  case HM_LOOKUP_GATHER_COMPARE:
    return lookup.gather(compared);
  default:
    return texel::words(Floats(lookup.gradient_level()));
  }
}

} // namespace

void load_texel(uint32_t format, const uint8_t *from, uint32_t *components) {
  texel::write(reinterpret_cast<uint8_t *>(components),
               load_texel(__builtin_bit_cast(HmTexelFormat, format), from));
}

void store_texel(uint32_t format, uint8_t *to, const uint32_t *components) {
  store_texel(__builtin_bit_cast(HmTexelFormat, format), to,
              texel::read<Words>(reinterpret_cast<const uint8_t *>(components)));
}

void look_up_texture(const HmTexture *texture, uint64_t sampler, const HmTextureLookup *lookup,
                     uint32_t *results) {
  texel::write(reinterpret_cast<uint8_t *>(results),
               results_of(Lookup(*texture, sampler, *lookup), *lookup));
}

} // namespace hostmetal::image
