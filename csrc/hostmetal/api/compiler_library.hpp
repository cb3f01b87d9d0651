#pragma once

#include "hostmetal/compiler/compiler.h"
#include "hostmetal/image/reflection.hpp"

#include <memory>
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

  struct LoadedKernel {
    image::Kernel reflection;
    HmKernelCode code;
    std::shared_ptr<const void> owner; ///< keeps the code mapped
  };
  /// Compiles one kernel for this CPU and loads it.
  LoadedKernel build(const HmKernelRequest &request) const;

private:
  explicit CompilerLibrary(const HmCompiler &compiler) : compiler_(&compiler) {}

  const HmCompiler *compiler_;
};

} // namespace hostmetal::api
