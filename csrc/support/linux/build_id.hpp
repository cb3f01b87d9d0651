#pragma once

#include <optional>
#include <string>

namespace metalcore {

/// The build id that the linker left in an ELF file, in lower-case hexadecimal. Only its headers
/// and notes are read. Empty when the file cannot be read, is no 64-bit ELF file or has no build
/// id.
std::optional<std::string> build_id_of_file(const std::string &path);

/// The same of the loaded library or program that `address` lies in.
std::optional<std::string> build_id_of_object(const void *address);

} // namespace metalcore
