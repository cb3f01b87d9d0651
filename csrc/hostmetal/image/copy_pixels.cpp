#include "hostmetal/image/copy_pixels.hpp"

#include <cstring>

namespace hostmetal::image {

void copy_pixels(const CopyPixels &copy) {
  for (uint64_t image = 0; image < copy.images; ++image)
    for (uint64_t row = 0; row < copy.rows; ++row)
      std::memmove(copy.destination.pixels + image * copy.destination.bytes_per_image +
                       row * copy.destination.bytes_per_row,
                   copy.source.pixels + image * copy.source.bytes_per_image +
                       row * copy.source.bytes_per_row,
                   copy.bytes_per_row);
}

} // namespace hostmetal::image
