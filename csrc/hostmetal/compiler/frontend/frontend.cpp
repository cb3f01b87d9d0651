#include "hostmetal/compiler/frontend/frontend.hpp"

#include "hostmetal/compiler/frontend/attributes.hpp"
#include "hostmetal/compiler/frontend/precompiled_library.hpp"
#include "hostmetal/compiler/frontend/translation_unit.hpp"
#include "hostmetal/compiler/guard/compile_guard.hpp"

#include "clang/Basic/Version.h"

namespace hostmetal::frontend {

SourceResult compile_source(const SourceRequest &request) {
  register_attributes();
  SourceResult result;
  const CompileEnd end =
      run_guarded([&] { result = compile_translation_unit(request, precompiled_library()); });
  if (end != CompileEnd::finished) {
    result = SourceResult();
    result.is_internal_error = end == CompileEnd::crashed;
    result.diagnostics =
        request.name + ": error: the compiler " + describe(end) + " on this source\n";
  }
  return result;
}

std::string_view frontend_version() {
  static const std::string version = "metal_stdlib 1, " + clang::getClangFullVersion();
  return version;
}

} // namespace hostmetal::frontend
