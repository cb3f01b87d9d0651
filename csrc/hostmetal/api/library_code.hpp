#pragma once

#include "hostmetal/api/compiler_library.hpp"
#include "hostmetal/api/constant_values.hpp"
#include "hostmetal/compiler/compiler.h"
#include "hostmetal/image/archive.hpp"
#include "hostmetal/image/reflection.hpp"
#include "support/sha256.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hostmetal::api {

class LibraryCode;

/// A visible function that a pipeline links.
struct LinkedFunction {
  const LibraryCode *library;
  const image::Function *function; ///< of that library
  std::vector<Constant> constants;
  metalcore::Digest key; ///< its kernel_key

  /// What stands for it in function tables: the same wherever it is linked.
  uint64_t number() const;
};
using LinkedFunctions = std::vector<LinkedFunction>;

/// What is behind an MTLLibrary. Immutable; any thread.
class LibraryCode {
public:
  using LoadedKernel = CompilerLibrary::LoadedKernel;

  virtual ~LibraryCode() = default;

  const image::Library &description() const { return description_; }
  /// Libraries of one identity have the same code.
  const metalcore::Digest &identity() const { return identity_; }
  /// Null if there is none of that name; lives as long as the library.
  const image::Function *find(std::string_view name) const;
  /// All that a kernel is made from, except for compiler and CPU. What else a pipeline's descriptor
  /// says changes no code.
  metalcore::Digest kernel_key(const image::Function &function,
                               const std::vector<Constant> &constants,
                               const LinkedFunctions &linked) const;
  /// AIR-form bitcode; empty for a library that was compiled ahead of time.
  virtual std::string_view module() const = 0;

  /// Whether no kernel needs the compiler.
  virtual bool is_compiled() const = 0;
  /// The kernel of that name, specialised and loaded. Throws Failure.
  virtual LoadedKernel build(const image::Function &function,
                             const std::vector<Constant> &constants,
                             const LinkedFunctions &linked) const = 0;
  /// What the kernel takes, without building it. Throws Failure.
  virtual image::Kernel reflect(const image::Function &function) const = 0;
  /// The kernel as archives keep it: without code if is_compiled(). Throws Failure.
  virtual std::shared_ptr<const image::ArchivedKernel>
  archived(const image::Function &function, const std::vector<Constant> &constants,
           const LinkedFunctions &linked) const = 0;

protected:
  LibraryCode(image::Library description, const metalcore::Digest &identity)
      : description_(std::move(description)), identity_(identity) {}

private:
  image::Library description_;
  metalcore::Digest identity_;
};

struct SourceRequest {
  std::string source; ///< UTF-8
  std::vector<std::pair<std::string, std::string>> macros;
  uint32_t language_version; ///< MTLLanguageVersion
  HmMathMode math_mode;
  bool enable_logging = false;
};

/// Compiles MSL, or finds what an earlier compile left in the cache; a library whose kernels are
/// compiled as they are asked for. `warnings` is the compiler's text, empty if there is none.
/// Throws Failure.
std::shared_ptr<const LibraryCode> compile_source(const SourceRequest &request,
                                                  std::string &warnings);

/// Opens a container of kernels that were compiled ahead of time: nothing of it needs the compiler.
/// Throws Failure.
std::shared_ptr<const LibraryCode> open_image(const std::string &path);

} // namespace hostmetal::api
