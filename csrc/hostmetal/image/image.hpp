#pragma once

#include "hostmetal/image/abi.h"
#include "hostmetal/image/code_object.hpp"
#include "hostmetal/image/reflection.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace hostmetal::image {

/// One native shared object in a container: all kernels of a library for one CPU level.
struct Slice {
  std::string target; ///< "x86-64-v2", "x86-64-v3", "x86-64-v4", "aarch64"
  std::string code;   ///< ELF shared object that exports HM_IMAGE_SYMBOL
};

/// The container file: magic, version, the library's functions, then slices, each with a checksum.
std::string write_container(const Library &library, const std::vector<Slice> &slices);

/// A library of ahead-of-time compiled kernels, mapped from a container file. Immutable; any
/// thread.
class Image {
public:
  /// Opens the best slice for this CPU. On failure `error` says why, in one sentence, and the
  /// result is null.
  static std::shared_ptr<const Image> open(const std::string &path, std::string &error);
  /// The same for one bare ELF shared object, without a container.
  /// A truncated object is refused; its code is trusted.
  static std::shared_ptr<const Image> open_code(std::span<const uint8_t> elf, std::string &error);
  Image(const Image &) = delete;
  Image &operator=(const Image &) = delete;

  const std::vector<std::string> &kernel_names() const { return names_; }
  /// The slice's target; empty for a bare object.
  const std::string &target() const { return target_; }
  /// The header of the container file, whose checksum and size stand for the rest of it; empty for
  /// a bare object.
  const std::string &header() const { return header_; }

  struct Loaded {
    Kernel reflection;
    HmKernelCode code;
  };
  /// The library's functions; those of a bare object are its kernels.
  std::optional<Library> library() const;
  /// One kernel's reflection and entry points; empty when there is none of that name,
  /// or its reflection is broken.
  std::optional<Loaded> find(std::string_view name) const;

private:
  Image(std::unique_ptr<const CodeObject> object, const HmImage *image, std::string target,
        std::string library, std::string header);

  std::unique_ptr<const CodeObject> object_;
  const HmImage *image_;
  std::string target_;
  std::string library_; // serialised
  std::string header_;
  std::vector<std::string> names_;
};

/// The targets that this CPU runs, best first.
std::vector<std::string> host_targets();

} // namespace hostmetal::image
