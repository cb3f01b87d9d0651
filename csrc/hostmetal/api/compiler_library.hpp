#pragma once

#include "hostmetal/compiler/compiler.h"
#include "hostmetal/image/reflection.hpp"

#include <memory>
#include <optional>
#include <string>

namespace hostmetal::api {

/// libhostmetal-compiler.so, opened from the folder of libhostmetal.so on first need and never
/// closed. Any thread; several calls run at once. Every call throws Failure.
class CompilerLibrary {
public:
  /// Opens the library unless it is open.
  static CompilerLibrary open();

  struct CompiledLibrary {
    std::string module; ///< AIR-form bitcode
    image::Library description;
    std::string warnings; ///< empty if there are none
  };
  CompiledLibrary compile(const HmLibraryRequest &request) const;

  /// Identifies the library's build, read from its file without opening it; empty where the file
  /// is missing or does not say.
  static std::optional<std::string> build_id();
  /// Whether the open library is the one that build_id() names: the file may have been replaced.
  bool has_build_id(const std::string &id) const;

  /// A compiled kernel, as the linker takes it.
  struct KernelObject {
    std::string object;     ///< relocatable
    std::string reflection; ///< image::Kernel, serialised
  };
  /// Compiles one kernel for this CPU.
  KernelObject compile(const HmKernelRequest &request) const;
  /// What a kernel of a module takes, without compiling it.
  image::Kernel reflect(const std::string &module, const std::string &function) const;
  /// Links a kernel into an ELF shared object that exports HM_IMAGE_SYMBOL.
  std::string link(const KernelObject &kernel) const;

  struct LoadedKernel {
    image::Kernel reflection;
    HmKernelCode code;
    std::shared_ptr<const void> owner; ///< keeps the code mapped
  };
  /// Places a kernel in executable memory. Its owner keeps the object too.
  LoadedKernel load(std::shared_ptr<const KernelObject> kernel) const;

  /// Lets the code generator do one small kernel, some 15 ms of work.
  void warm_up() const;

private:
  explicit CompilerLibrary(const HmCompiler &compiler) : compiler_(&compiler) {}

  const HmCompiler *compiler_;
};

} // namespace hostmetal::api
