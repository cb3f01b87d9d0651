#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace hostmetal::image {

/// Names what code generation knows of this CPU: code that was compiled for one of the same name
/// runs here. The same in every process, on every core.
const std::string &host_identity();

/// How ELF files for this CPU look.
struct HostElf {
  uint16_t machine;
  uint32_t relative;                ///< relocation: the object's place and an addend
  std::array<uint32_t, 3> absolute; ///< relocations: a symbol's address and an addend
};
extern const HostElf host_elf;

} // namespace hostmetal::image
