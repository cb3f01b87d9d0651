/// Errors of the front end's own checks, reported through clang at the user's location.
#pragma once

#include "clang/Basic/SourceLocation.h"
#include "llvm/ADT/Twine.h"

namespace clang {
class DiagnosticsEngine;
}

namespace hostmetal::frontend {

void report_error(clang::DiagnosticsEngine &diagnostics, clang::SourceLocation where,
                  const llvm::Twine &message);
void report_note(clang::DiagnosticsEngine &diagnostics, clang::SourceLocation where,
                 const llvm::Twine &message);

} // namespace hostmetal::frontend
