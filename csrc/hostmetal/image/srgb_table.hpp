/// The sRGB curve for 8 bits, exactly: tables that are computed while compiling. Freestanding.
#pragma once

#include <stdint.h>

namespace hostmetal::image::srgb {

/// The fifth root of a number from 0 to 1, by Newton's method from above.
constexpr double fifth_root(double x) {
  double root = 1.0;
  for (int i = 0; i < 100; ++i) {
    const double fourth = root * root * root * root;
    const double next = root - (fourth * root - x) / (5.0 * fourth);
    if (!(next < root))
      break;
    root = next;
  }
  return root;
}

/// The light of a code from 0 to 1.
constexpr double linear(double code) {
  if (code <= 0.04045)
    return code / 12.92;
  const double base = (code + 0.055) / 1.055, square = base * base;
  return square * fifth_root(square); // base^2.4
}

struct Table {
  float values[256];
  constexpr float operator[](uint32_t index) const { return values[index]; }
};

constexpr Table make_table(double shift) {
  Table table{};
  for (int code = 0; code < 256; ++code)
    table.values[code] = static_cast<float>(linear((code + shift) / 255.0));
  return table;
}

/// [code]: its light.
inline constexpr Table to_linear = make_table(0.0);
/// [code]: the light above which the next code is nearer.
inline constexpr Table upper_bound = make_table(0.5);

/// The code nearest to a light from 0 to 1.
inline uint32_t encode(float light) {
  uint32_t code = 0;
  for (uint32_t step = 128; step != 0; step >>= 1)
    code += light > upper_bound[code + step - 1] ? step : 0;
  return code;
}

} // namespace hostmetal::image::srgb
