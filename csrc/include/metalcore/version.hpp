#pragma once

#include "metalcore/export.hpp"

#include <string>

#define METALCORE_VERSION_MAJOR 0
#define METALCORE_VERSION_MINOR 1
#define METALCORE_VERSION_PATCH 0
#define METALCORE_VERSION "0.1.0"

namespace metalcore {

struct Versions {
  std::string driver;   ///< of Metal: what the cache's folder is named after
  std::string compiler; ///< of kernels
};
/// What this process uses; opens neither device nor compiler. Any thread.
METALCORE_API Versions versions();

} // namespace metalcore
