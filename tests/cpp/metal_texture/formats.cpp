#include "formats.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace metal_texture {
namespace {

Format make(uint32_t value, std::string name, Encoding encoding, const std::string &order,
            std::vector<int> bits) {
  Format format{value, std::move(name), encoding, {}};
  for (size_t at = 0; at < order.size(); ++at)
    format.components.push_back(
        {static_cast<int>(std::string("rgba").find(order[at])), bits[at % bits.size()]});
  return format;
}

double small_float(uint32_t bits, int fraction_bits) {
  const int exponent = static_cast<int>(bits >> fraction_bits) & 31;
  const double fraction = static_cast<double>(bits & ((1u << fraction_bits) - 1));
  const double unit = std::ldexp(1.0, -fraction_bits);
  if (exponent == 31)
    return fraction != 0 ? NAN : INFINITY;
  return exponent == 0 ? std::ldexp(fraction * unit, -14)
                       : std::ldexp(1 + fraction * unit, exponent - 15);
}

double floating(uint32_t bits, int width) {
  if (width == 32)
    return std::bit_cast<float>(bits);
  if (width == 16)
    return (bits & 0x8000 ? -1 : 1) * small_float(bits & 0x7fff, 10);
  return small_float(bits, width - 5);
}

double to_linear(double code) {
  return code <= 0.04045 ? code / 12.92 : std::pow((code + 0.055) / 1.055, 2.4);
}
double from_linear(double light) {
  return light <= 0.0031308 ? light * 12.92 : 1.055 * std::pow(light, 1 / 2.4) - 0.055;
}

/// The bits of the nearest number with that many, an even one in between. Numbers do not become
/// infinite where there is no sign.
double nearest_float(float value, int width) {
  if (width == 32)
    return std::bit_cast<uint32_t>(value);
  const uint32_t sign = width == 16 && std::signbit(value) ? 0x8000 : 0;
  const int fraction_bits = width == 16 ? 10 : width - 5;
  const uint32_t infinity = 31u << fraction_bits;
  if (std::isnan(value))
    return sign | infinity | 1u << (fraction_bits - 1);
  const double magnitude = width == 16 ? std::fabs(value) : std::max(0.0, double{value});
  if (std::isinf(magnitude))
    return sign | infinity;
  uint32_t low = 0, high = infinity - 1;
  while (low < high) { // the largest that is not above
    const uint32_t middle = (low + high + 1) / 2;
    (small_float(middle, fraction_bits) <= magnitude ? low : high) =
        small_float(middle, fraction_bits) <= magnitude ? middle : middle - 1;
  }
  const double below = small_float(low, fraction_bits);
  const double above =
      low + 1 == infinity ? std::ldexp(1.0, 16) : small_float(low + 1, fraction_bits);
  const double to_below = magnitude - below, to_above = above - magnitude;
  if (to_above < to_below || (to_above == to_below && low % 2 == 1))
    ++low;
  if (low == infinity && width != 16)
    --low;
  return sign | low;
}

std::vector<double> shared_exponent(const std::array<float, 4> &value) {
  double limited[3], most = 0;
  for (int at = 0; at < 3; ++at) {
    limited[at] = value[at] > 0 ? std::min(double{value[at]}, 65408.0) : 0;
    most = std::max(most, limited[at]);
  }
  int exponent = std::max(-16, most > 0 ? static_cast<int>(std::floor(std::log2(most))) : -16) + 16;
  if (std::nearbyint(std::ldexp(most, 24 - exponent)) == 512)
    ++exponent;
  std::vector<double> result;
  for (const double each : limited)
    result.push_back(std::nearbyint(std::ldexp(each, 24 - exponent)));
  result.push_back(exponent);
  return result;
}

} // namespace

size_t Format::bytes() const {
  int bits = 0;
  for (const Component &component : components)
    bits += component.bits;
  return static_cast<size_t>(bits) / 8;
}

bool Format::has_alpha() const {
  return encoding != Encoding::shared_exponent &&
         std::ranges::any_of(components, [](const Component &c) { return c.channel == 3; });
}

const std::vector<Format> &all_formats() {
  static const std::vector<Format> formats = [] {
    std::vector<Format> list;
    const std::string orders[] = {"r", "rg", "rgba"};
    const auto family = [&](int bits, Encoding encoding, const std::string &suffix,
                            std::array<uint32_t, 3> values) {
      const std::string names[] = {"R", "RG", "RGBA"};
      for (size_t at = 0; at < 3; ++at)
        list.push_back(make(values[at], names[at] + std::to_string(bits) + suffix, encoding,
                            orders[at], {bits}));
    };
    family(8, Encoding::unorm, "Unorm", {10, 30, 70});
    family(8, Encoding::srgb, "Unorm_sRGB", {11, 31, 71});
    family(8, Encoding::snorm, "Snorm", {12, 32, 72});
    family(8, Encoding::uint, "Uint", {13, 33, 73});
    family(8, Encoding::sint, "Sint", {14, 34, 74});
    family(16, Encoding::unorm, "Unorm", {20, 60, 110});
    family(16, Encoding::snorm, "Snorm", {22, 62, 112});
    family(16, Encoding::uint, "Uint", {23, 63, 113});
    family(16, Encoding::sint, "Sint", {24, 64, 114});
    family(16, Encoding::floating, "Float", {25, 65, 115});
    family(32, Encoding::uint, "Uint", {53, 103, 123});
    family(32, Encoding::sint, "Sint", {54, 104, 124});
    family(32, Encoding::floating, "Float", {55, 105, 125});
    list.push_back(make(1, "A8Unorm", Encoding::unorm, "a", {8}));
    list.push_back(make(40, "B5G6R5Unorm", Encoding::unorm, "bgr", {5, 6, 5}));
    list.push_back(make(41, "A1BGR5Unorm", Encoding::unorm, "abgr", {1, 5, 5, 5}));
    list.push_back(make(42, "ABGR4Unorm", Encoding::unorm, "abgr", {4}));
    list.push_back(make(43, "BGR5A1Unorm", Encoding::unorm, "bgra", {5, 5, 5, 1}));
    list.push_back(make(80, "BGRA8Unorm", Encoding::unorm, "bgra", {8}));
    list.push_back(make(81, "BGRA8Unorm_sRGB", Encoding::srgb, "bgra", {8}));
    list.push_back(make(90, "RGB10A2Unorm", Encoding::unorm, "rgba", {10, 10, 10, 2}));
    list.push_back(make(91, "RGB10A2Uint", Encoding::uint, "rgba", {10, 10, 10, 2}));
    list.push_back(make(92, "RG11B10Float", Encoding::floating, "rgb", {11, 11, 10}));
    list.push_back(make(93, "RGB9E5Float", Encoding::shared_exponent, "rgba", {9, 9, 9, 5}));
    list.push_back(make(94, "BGR10A2Unorm", Encoding::unorm, "bgra", {10, 10, 10, 2}));
    return list;
  }();
  return formats;
}

std::vector<uint32_t> stored(const Format &format, const uint8_t *pixel) {
  std::vector<uint32_t> result;
  size_t bit = 0;
  for (const Component &component : format.components) {
    uint64_t word = 0;
    std::memcpy(&word, pixel + bit / 8, std::min<size_t>(8, format.bytes() - bit / 8));
    result.push_back(
        static_cast<uint32_t>(word >> bit % 8 & ((uint64_t{1} << component.bits) - 1)));
    bit += static_cast<size_t>(component.bits);
  }
  return result;
}

Pixel decode(const Format &format, const uint8_t *pixel) {
  Pixel result{0, 0, 0, 1};
  const std::vector<uint32_t> values = stored(format, pixel);
  if (format.encoding == Encoding::shared_exponent) {
    for (size_t at = 0; at < 3; ++at)
      result[at] = std::ldexp(values[at], static_cast<int>(values[3]) - 24);
    return result;
  }
  if (format.name == "A8Unorm")
    result = {0, 0, 0, 0};
  for (size_t at = 0; at < values.size(); ++at) {
    const auto [channel, bits] = format.components[at];
    const uint32_t value = values[at];
    const double largest = std::ldexp(1.0, bits) - 1;
    const auto with_sign =
        static_cast<double>(static_cast<int64_t>(uint64_t{value} << (64 - bits)) >> (64 - bits));
    switch (format.encoding) {
    case Encoding::unorm:
      result[channel] = value / largest;
      break;
    case Encoding::snorm:
      result[channel] = std::max(-1.0, with_sign / ((largest - 1) / 2));
      break;
    case Encoding::uint:
      result[channel] = value;
      break;
    case Encoding::sint:
      result[channel] = with_sign;
      break;
    case Encoding::floating:
      result[channel] = floating(value, bits);
      break;
    case Encoding::srgb:
      result[channel] = channel == 3 ? value / largest : to_linear(value / largest);
      break;
    case Encoding::shared_exponent:
      break;
    }
  }
  return result;
}

std::vector<double> encode(const Format &format, const std::array<float, 4> &value) {
  if (format.encoding == Encoding::shared_exponent)
    return shared_exponent(value);
  std::vector<double> result;
  for (const auto [channel, bits] : format.components) {
    const float given = value[static_cast<size_t>(channel)];
    const float number = std::isnan(given) ? 0 : given;
    const auto largest = static_cast<float>(std::ldexp(1.0, bits) - 1);
    switch (format.encoding) {
    case Encoding::floating:
      result.push_back(nearest_float(given, bits));
      break;
    case Encoding::srgb:
      if (channel != 3) {
        result.push_back(from_linear(std::clamp(number, 0.0f, 1.0f)) * 255);
        break;
      }
      [[fallthrough]];
    case Encoding::unorm: // the product is one of floats, as the specification has it
      result.push_back(std::nearbyintf(std::clamp(number, 0.0f, 1.0f) * largest));
      break;
    case Encoding::snorm: {
      const float code = std::nearbyintf(std::clamp(number, -1.0f, 1.0f) * ((largest - 1) / 2));
      result.push_back(code < 0 ? code + std::ldexp(1.0, bits) : code);
      break;
    }
    default:
      break;
    }
  }
  return result;
}

} // namespace metal_texture
