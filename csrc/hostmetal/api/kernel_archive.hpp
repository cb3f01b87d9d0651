#pragma once

#include "hostmetal/api/library_code.hpp"
#include "hostmetal/image/archive.hpp"
#include "support/guarded.hpp"

#include <memory>
#include <optional>
#include <string>

namespace hostmetal::api {

/// What is behind an MTLBinaryArchive: compiled kernels by LibraryCode::kernel_key. Any thread.
class KernelArchive {
public:
  KernelArchive() = default;
  /// Opens a file. One that another compiler wrote, or for another CPU, is an empty archive. Throws
  /// ArchiveFailure for what is no whole archive.
  static std::shared_ptr<KernelArchive> open(const std::string &path);

  /// Null if there is none.
  std::shared_ptr<const image::ArchivedKernel> find(const metalcore::Digest &key) const;
  /// Keeps the kernel that is there if there is one.
  void insert(const metalcore::Digest &key, std::shared_ptr<const image::ArchivedKernel> kernel);
  /// Writes beside the file and renames. Throws ArchiveFailure.
  void write(const std::string &path) const;

private:
  metalcore::Guarded<image::ArchivedKernels> kernels_;
};

/// Maps the code of the kernel of that name; needs no compiler. Empty, with `why_not` set, where
/// that fails.
std::optional<LibraryCode::LoadedKernel>
load_archived(const image::ArchivedKernel &kernel, const std::string &name, std::string &why_not);

} // namespace hostmetal::api
