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

void report_fatal(clang::DiagnosticsEngine &diagnostics, clang::SourceLocation where,
                  const llvm::Twine &message) {
  report(diagnostics, clang::DiagnosticsEngine::Fatal, where, message);
}

void report_note(clang::DiagnosticsEngine &diagnostics, clang::SourceLocation where,
                 const llvm::Twine &message) {
  report(diagnostics, clang::DiagnosticsEngine::Note, where, message);
}

std::string with_metal_names(const std::string &diagnostics) {
  constexpr std::pair<llvm::StringLiteral, llvm::StringLiteral> names[] = {
      {"const __global_host ", "constant "},
      {"__global_host ", "constant "},
      {"__global ", "device "},
      {"__local ", "threadgroup "},
      {"_Float16", "half"},
      {"__bf16", "bfloat"}};
  std::string result;
  llvm::StringRef rest = diagnostics;
  while (!rest.empty()) {
    llvm::StringRef line;
    std::tie(line, rest) = rest.split('\n');
    std::string text = line.str();
    if (!line.ltrim(" 0123456789").starts_with("|"))
      for (const auto &[clang_name, metal_name] : names)
        for (size_t at = text.find(clang_name); at != std::string::npos;
             at = text.find(clang_name, at + metal_name.size()))
          text.replace(at, clang_name.size(), metal_name);
    result += text + '\n';
  }
  return result;
}

} // namespace hostmetal::frontend
