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

/// clang's text in the words of MSL. What lies in the standard library is its user's: errors are at
/// the place of the use, notes go. Quoted source lines stay as they are.
std::string in_metal_words(const std::string &diagnostics);

} // namespace hostmetal::frontend
