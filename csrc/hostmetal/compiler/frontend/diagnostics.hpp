/// Errors of the front end's own checks, reported through clang at the user's location.
#pragma once

#include "clang/Basic/SourceLocation.h"
#include "llvm/ADT/Twine.h"

#include <string>

namespace clang {
class DiagnosticsEngine;
}

namespace hostmetal::frontend {

void report_error(clang::DiagnosticsEngine &diagnostics, clang::SourceLocation where,
                  const llvm::Twine &message);
/// After which nothing more is reported.
void report_fatal(clang::DiagnosticsEngine &diagnostics, clang::SourceLocation where,
                  const llvm::Twine &message);
void report_note(clang::DiagnosticsEngine &diagnostics, clang::SourceLocation where,
                 const llvm::Twine &message);

/// The text with address spaces as MSL calls them; quoted source lines stay as they are.
std::string with_metal_names(const std::string &diagnostics);

} // namespace hostmetal::frontend
