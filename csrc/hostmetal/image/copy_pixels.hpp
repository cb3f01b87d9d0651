#pragma once

#include <cstdint>

namespace hostmetal::image {

/// Rows of pixels in memory.
struct PixelRows {
  uint8_t *pixels = nullptr;
  uint64_t bytes_per_row = 0;   ///< from one row to the next
  uint64_t bytes_per_image = 0; ///< from one image to the next
};

/// A copy of a box of pixels, as they are stored.
struct CopyPixels {
  PixelRows source{};
  PixelRows destination{};
  uint64_t bytes_per_row = 0; ///< to copy of each row
  uint64_t rows = 1;
  uint64_t images = 1;
};

/// On the caller's thread. The two may overlap only if they are the same.
void copy_pixels(const CopyPixels &copy);

} // namespace hostmetal::image
