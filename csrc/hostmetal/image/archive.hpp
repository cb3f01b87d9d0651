#pragma once

#include "support/sha256.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace hostmetal::image {

/// The code of one kernel for one kind of CPU.
struct ArchivedKernel {
  std::string name;
  /// An ELF shared object that exports HM_IMAGE_SYMBOL; empty for a kernel whose library holds its
  /// code.
  std::string code;
};

/// Kernels by what they were made from.
using ArchivedKernels = std::map<metalcore::Digest, std::shared_ptr<const ArchivedKernel>>;

/// What the code of an archive depends on besides its kernels' own keys.
struct ArchiveIdentity {
  std::string compiler; ///< its build; empty if there is none
  std::string cpu;      ///< host_identity()

  bool operator==(const ArchiveIdentity &) const = default;
};

struct Archive {
  ArchiveIdentity identity;
  ArchivedKernels kernels;
};

/// Byte-stable.
std::string write_archive(const Archive &archive);

/// Checks every byte before one is used. Empty, with `error` set, for what is no whole archive; an
/// archive of another version of the format or of the kernel ABI is one without kernels.
std::optional<Archive> read_archive(std::span<const uint8_t> bytes, std::string &error);

} // namespace hostmetal::image
