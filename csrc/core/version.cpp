#include "metalcore/version.hpp"

#include "core/platform.hpp"

namespace metalcore {

Versions versions() {
  return {platform::driver_build(), platform::compiler_version()};
}

} // namespace metalcore
