#include "hostmetal/compiler/frontend/time_limit.hpp"

#include "clang/Basic/Diagnostic.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Lex/PPCallbacks.h"
#include "clang/Lex/Preprocessor.h"

#define LEX "_ZN5clang12Preprocessor3LexERNS_5TokenE"

namespace hostmetal::frontend {

using clang::Preprocessor;
using clang::Token;

void lex_in_clang(Preprocessor *preprocessor, Token &token) asm("__real_" LEX);
void lex(Preprocessor *preprocessor, Token &token) asm("__wrap_" LEX);

namespace {

thread_local bool is_parsing = false;

/// Macros and included files may multiply without a token coming of it.
class Questions : public clang::PPCallbacks {
public:
  void MacroExpands(const Token &, const clang::MacroDefinition &, clang::SourceRange,
                    const clang::MacroArgs *) override {
    is_time_up_often();
  }
  void FileChanged(clang::SourceLocation, FileChangeReason, clang::SrcMgr::CharacteristicKind,
                   clang::FileID) override {
    is_time_up_often();
  }
};

} // namespace

// The linker puts this in front of clang's own (--wrap). What the parser went back to, it has from
// here too.
void lex(Preprocessor *preprocessor, Token &token) {
  lex_in_clang(preprocessor, token);
  if (!is_time_up_often() || !is_parsing)
    return;
  const clang::SourceLocation where = token.getLocation();
  token.startToken();
  token.setKind(clang::tok::eof);
  token.setLocation(where);
}

TimeLimit::TimeLimit(clang::CompilerInstance &compiler) : compiler_(compiler) {
  is_parsing = false; // the last compile on this thread may have been broken off
  compiler_.getPreprocessor().addPPCallbacks(std::make_unique<Questions>());
}

TimeLimit::~TimeLimit() {
  is_parsing = false;
}

void TimeLimit::parsing_begins() {
  is_parsing = true;
}

void TimeLimit::stop() {
  // A directive that is being read ends with the old setting.
  compiler_.getPreprocessor().SetMacroExpansionOnlyInDirectives();
  clang::DiagnosticsEngine &diagnostics = compiler_.getDiagnostics();
  if (is_reported_ || diagnostics.isDiagnosticInFlight())
    return;
  const bool is_silent = diagnostics.getSuppressAllDiagnostics();
  diagnostics.setSuppressAllDiagnostics(false);
  // One of clang's own, for only those end the instantiation of templates. Nobody sees it.
  diagnostics.Report(clang::diag::fatal_too_many_errors);
  diagnostics.setSuppressAllDiagnostics(is_silent);
  is_reported_ = true;
}

} // namespace hostmetal::frontend
