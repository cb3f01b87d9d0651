#include "hostmetal/compiler/frontend/frontend.hpp"

#include "hostmetal/compiler/frontend/attributes.hpp"
#include "hostmetal/compiler/frontend/precompiled_library.hpp"
#include "hostmetal/compiler/frontend/translation_unit.hpp"

#include "clang/Basic/Stack.h"
#include "clang/Basic/Version.h"
#include "llvm/Support/CrashRecoveryContext.h"

#include <mutex>

namespace hostmetal::frontend {
namespace {

// Address space only: pages are taken as the stack grows.
constexpr unsigned stack_bytes = 512u << 20;

void enable_crash_recovery() {
  static std::once_flag once;
  std::call_once(once, [] { llvm::CrashRecoveryContext::Enable(); });
}

} // namespace

SourceResult compile_source(const SourceRequest &request) {
  enable_crash_recovery();
  register_attributes();
  SourceResult result;
  llvm::CrashRecoveryContext recovery;
  const bool survived = recovery.RunSafelyOnThread(
      [&] {
        clang::noteBottomOfStack();
        result = compile_translation_unit(request, precompiled_library());
      },
      stack_bytes);
  if (!survived) {
    result = SourceResult();
    result.is_internal_error = true;
    result.diagnostics = request.name + ": error: the compiler crashed on this source\n";
  }
  return result;
}

std::string_view frontend_version() {
  static const std::string version = "metal_stdlib 1, " + clang::getClangFullVersion();
  return version;
}

} // namespace hostmetal::frontend
