#include "hostmetal/compiler/frontend/diagnostics.hpp"

#include "clang/Basic/Diagnostic.h"

namespace hostmetal::frontend {
namespace {

void report(clang::DiagnosticsEngine &diagnostics, clang::DiagnosticsEngine::Level level,
            clang::SourceLocation where, const llvm::Twine &message) {
  const unsigned id = diagnostics.getDiagnosticIDs()->getCustomDiagID(
      static_cast<clang::DiagnosticIDs::Level>(level), "%0");
  diagnostics.Report(where, id) << message.str();
}

} // namespace

void report_error(clang::DiagnosticsEngine &diagnostics, clang::SourceLocation where,
                  const llvm::Twine &message) {
  report(diagnostics, clang::DiagnosticsEngine::Error, where, message);
}

void report_note(clang::DiagnosticsEngine &diagnostics, clang::SourceLocation where,
                 const llvm::Twine &message) {
  report(diagnostics, clang::DiagnosticsEngine::Note, where, message);
}

} // namespace hostmetal::frontend
