#pragma once

#include <optional>
#include <string>

namespace hostmetal::image {

/// The build id that the linker left in an ELF file, in lower-case hexadecimal. Only its headers
/// and notes are read. Empty when the file cannot be read, is no 64-bit ELF file or has no build
/// id.
std::optional<std::string> build_id(const std::string &path);

} // namespace hostmetal::image
