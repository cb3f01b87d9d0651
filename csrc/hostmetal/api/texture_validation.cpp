#include "hostmetal/api/texture_validation.hpp"

#include <algorithm>

namespace hostmetal::api {
namespace {

using image::TextureShape;
using image::TextureType;

// All of MTLTextureUsage.
constexpr uint64_t known_usage = 0x37;
constexpr uint64_t usage_format_view = 0x10;

std::string text(const Extent &extent) {
  return std::to_string(extent[0]) + " x " + std::to_string(extent[1]) + " x " +
         std::to_string(extent[2]);
}

bool is_known(uint64_t type) {
  return type <= static_cast<uint64_t>(TextureType::buffer) && type != 4 && type != 8;
}
bool is_array(TextureType type) {
  return type == TextureType::line_array || type == TextureType::plane_array ||
         type == TextureType::cube_array;
}
bool is_cube(TextureType type) {
  return type == TextureType::cube || type == TextureType::cube_array;
}
bool has_height(TextureType type) {
  return type != TextureType::line && type != TextureType::line_array &&
         type != TextureType::buffer;
}

/// "The texture's width (0) must be from 1 to 16384."
Problem check_number(std::string_view what, uint64_t value, uint64_t limit) {
  if (value >= 1 && value <= limit)
    return std::nullopt;
  return "The texture's " + std::string(what) + " (" + std::to_string(value) +
         (limit == 1 ? ") must be 1." : ") must be from 1 to " + std::to_string(limit) + '.');
}

uint64_t width_limit(TextureType type) {
  return type == TextureType::volume   ? max_volume_size
         : type == TextureType::buffer ? max_texture_buffer_width
                                       : max_texture_size;
}

/// Textures of one group can be views of each other.
unsigned view_group(TextureType type) {
  switch (type) {
  case TextureType::line:
  case TextureType::line_array:
    return 1;
  case TextureType::volume:
    return 3;
  case TextureType::buffer:
    return 4;
  default:
    return 2;
  }
}

} // namespace

Problem check_texture(const TextureRequest &request) {
  if (!is_known(request.type))
    return "The texture type (" + std::to_string(request.type) + ") is none that this device has.";
  if (!image::find_pixel_format(static_cast<uint32_t>(std::min<uint64_t>(request.format, ~0u))))
    return "The pixel format (" + std::to_string(request.format) +
           ") is none that this device has.";
  const auto type = static_cast<TextureType>(request.type);
  const auto [width, height, depth] = request.size;
  Problem problem = check_number("width", width, width_limit(type));
  if (!problem)
    problem = check_number("height", height, has_height(type) ? width_limit(type) : 1);
  if (!problem)
    problem = check_number("depth", depth, type == TextureType::volume ? max_volume_size : 1);
  if (!problem)
    problem =
        check_number("array length", request.array_length, is_array(type) ? max_array_length : 1);
  if (!problem)
    problem = check_number("sample count", request.sample_count, 1);
  if (problem)
    return problem;
  if (is_cube(type) && width != height)
    return "The width (" + std::to_string(width) + ") and the height (" + std::to_string(height) +
           ") of a cube texture must be the same.";
  if (request.usage & ~known_usage)
    return "The texture's usage (" + std::to_string(request.usage) + ") has an unknown bit.";
  return check_number("number of mipmap levels", request.levels,
                      has_height(type) ? shape_of(request).most_levels() : 1);
}

TextureShape shape_of(const TextureRequest &request) {
  TextureShape shape;
  shape.type = static_cast<TextureType>(request.type);
  shape.width = static_cast<uint32_t>(request.size[0]);
  shape.height = static_cast<uint32_t>(request.size[1]);
  shape.depth = static_cast<uint32_t>(request.size[2]);
  shape.levels = static_cast<uint32_t>(request.levels);
  shape.array_length = static_cast<uint32_t>(request.array_length);
  return shape;
}

Problem check_linear_texture(const TextureShape &shape, const image::PixelFormat &format,
                             uint64_t offset, uint64_t bytes_per_row, uint64_t length) {
  if (shape.type != TextureType::plane && shape.type != TextureType::buffer)
    return "A texture in a buffer must be a 2D texture or a texture buffer, not of type " +
           std::to_string(static_cast<unsigned>(shape.type)) + '.';
  if (shape.levels != 1)
    return "A texture in a buffer has one mipmap level, not " + std::to_string(shape.levels) + '.';
  for (const auto &[what, value] : {std::pair{"offset", offset}, {"bytes per row", bytes_per_row}})
    if (value % linear_texture_alignment != 0)
      return "The " + std::string(what) + " (" + std::to_string(value) +
             ") of a texture in a buffer must be a multiple of " +
             std::to_string(linear_texture_alignment) + '.';
  const uint64_t row = uint64_t{shape.width} * format.texel.bytes;
  if (bytes_per_row < row)
    return "The bytes per row (" + std::to_string(bytes_per_row) +
           ") of a texture in a buffer are fewer than a row has (" + std::to_string(row) + ").";
  const uint64_t size = linear_size(format, {shape.width, shape.height, 1}, {bytes_per_row, 0});
  return check_range("A texture", offset, size, length);
}

Problem check_texture_view(const TextureShape &shape, const image::PixelFormat &format,
                           uint64_t usage, const TextureRequest &view, uint64_t first_level,
                           uint64_t first_slice) {
  if (Problem problem = check_texture(view))
    return problem;
  const image::PixelFormat &seen = *image::find_pixel_format(static_cast<uint32_t>(view.format));
  const TextureShape seen_shape = shape_of(view);
  if (!image::are_compatible(format, seen))
    return "A texture of format " + std::string(format.name) + " cannot be seen as one of format " +
           std::string(seen.name) + '.';
  if (seen.value != format.value && !(usage & usage_format_view))
    return "A view of another format (" + std::string(seen.name) +
           ") needs a texture with the usage MTLTextureUsagePixelFormatView.";
  if (view_group(seen_shape.type) != view_group(shape.type))
    return "A texture of type " + std::to_string(static_cast<unsigned>(shape.type)) +
           " cannot be seen as one of type " + std::to_string(view.type) + '.';
  if (first_level >= shape.levels || view.levels > shape.levels - first_level)
    return "The levels of a view (" + std::to_string(view.levels) + " from " +
           std::to_string(first_level) + " on) go beyond the texture's " +
           std::to_string(shape.levels) + '.';
  if (first_slice >= shape.slices() || seen_shape.slices() > shape.slices() - first_slice)
    return "The slices of a view (" + std::to_string(seen_shape.slices()) + " from " +
           std::to_string(first_slice) + " on) go beyond the texture's " +
           std::to_string(shape.slices()) + '.';
  return std::nullopt;
}

Problem check_box(std::string_view subject, const TextureShape &shape, const TexturePlace &place,
                  const Extent &size) {
  const std::string begin(subject);
  if (place.level >= shape.levels)
    return begin + " is in level " + std::to_string(place.level) + " of a texture that has " +
           std::to_string(shape.levels) + '.';
  if (place.slice >= shape.slices())
    return begin + " is in slice " + std::to_string(place.slice) + " of a texture that has " +
           std::to_string(shape.slices()) + '.';
  const auto whole = shape.level_size(static_cast<uint32_t>(place.level));
  for (size_t axis = 0; axis < size.size(); ++axis)
    if (size[axis] == 0 || place.origin[axis] > whole[axis] ||
        size[axis] > whole[axis] - place.origin[axis])
      return begin + " (" + text(size) + " pixels from " + text(place.origin) +
             " on) is not within the " + text({whole[0], whole[1], whole[2]}) +
             " pixels of its level.";
  return std::nullopt;
}

Problem check_linear_pixels(std::string_view subject, const image::PixelFormat &format,
                            const Extent &size, const LinearPixels &pixels) {
  const std::string begin(subject);
  const uint64_t row = size[0] * format.texel.bytes;
  if ((size[1] > 1 || size[2] > 1 || pixels.bytes_per_row != 0) &&
      (pixels.bytes_per_row < row || pixels.bytes_per_row % format.texel.bytes != 0))
    return begin + " has a number of bytes per row (" + std::to_string(pixels.bytes_per_row) +
           ") that is smaller than a row (" + std::to_string(row) +
           ") or no multiple of a pixel's bytes (" + std::to_string(format.texel.bytes) + ").";
  if (size[2] > 1 && pixels.bytes_per_image < pixels.bytes_per_row * size[1])
    return begin + " has a number of bytes per image (" + std::to_string(pixels.bytes_per_image) +
           ") that is smaller than an image (" + std::to_string(pixels.bytes_per_row * size[1]) +
           ").";
  return std::nullopt;
}

uint64_t linear_size(const image::PixelFormat &format, const Extent &size,
                     const LinearPixels &pixels) {
  return (size[2] - 1) * pixels.bytes_per_image + (size[1] - 1) * pixels.bytes_per_row +
         size[0] * format.texel.bytes;
}

} // namespace hostmetal::api
