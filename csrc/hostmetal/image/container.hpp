#pragma once

#include "support/checksum.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace hostmetal::image {

/// Bytes at the start of every container file.
constexpr size_t container_header_size = 36;

/// The fixed part of a container file.
struct ContainerHeader {
  uint32_t abi_version;    ///< HM_ABI_VERSION of the code
  uint32_t table_size;     ///< bytes of the table, which follows the header
  uint64_t table_checksum; ///< XXH3
  uint64_t file_size;      ///< bytes, all of the file
};

/// Where a slice lies in its container file; wholly inside of it.
struct SliceEntry {
  std::string target;
  uint64_t offset;
  uint64_t size;
  uint64_t checksum; ///< XXH3
};

struct ContainerTable {
  std::string library; ///< image::Library, serialised
  std::vector<SliceEntry> slices;
};

using metalcore::checksum;

/// Empty, with `error` set, unless the header is of this version and ABI and says `file_size`.
std::optional<ContainerHeader> read_header(std::span<const uint8_t> bytes, uint64_t file_size,
                                           std::string &error);

/// Empty, with `error` set, unless the table has its checksum and lies inside the file.
std::optional<ContainerTable> read_table(std::span<const uint8_t> bytes,
                                         const ContainerHeader &header, std::string &error);

} // namespace hostmetal::image
