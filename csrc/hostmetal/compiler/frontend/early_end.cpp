#include "hostmetal/compiler/frontend/early_end.hpp"

#include "clang/Basic/Diagnostic.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Lex/PPCallbacks.h"
#include "clang/Lex/Preprocessor.h"

#define LEX "_ZN5clang12Preprocessor3LexERNS_5TokenE"
#define EMIT_STATEMENT "_ZN5clang7CodeGen15CodeGenFunction15EmitIgnoredExprEPKNS_4ExprE"

namespace clang::CodeGen {
class CodeGenFunction;
}

namespace hostmetal::frontend {

using clang::Preprocessor;
using clang::Token;
using clang::CodeGen::CodeGenFunction;

void lex_in_clang(Preprocessor *preprocessor, Token &token) asm("__real_" LEX);
void lex(Preprocessor *preprocessor, Token &token) asm("__wrap_" LEX);

void emit_in_clang(CodeGenFunction *function,
                   const clang::Expr *statement) asm("__real_" EMIT_STATEMENT);
void emit(CodeGenFunction *function, const clang::Expr *statement) asm("__wrap_" EMIT_STATEMENT);

namespace {

thread_local bool is_parsing = false;

/// Macros and included files may multiply without a token coming of it.
class Questions : public clang::PPCallbacks {
public:
  void MacroExpands(const Token &, const clang::MacroDefinition &, clang::SourceRange,
                    const clang::MacroArgs *) override {
    must_end_often();
  }
  void FileChanged(clang::SourceLocation, FileChangeReason, clang::SrcMgr::CharacteristicKind,
                   clang::FileID) override {
    must_end_often();
  }
};

} // namespace

// The linker puts this in front of clang's own (--wrap). What the parser went back to, it has from
// here too. After any fatal error (there were too many others) clang would parse on in silence.
void lex(Preprocessor *preprocessor, Token &token) {
  lex_in_clang(preprocessor, token);
  const bool is_over = must_end_often() || preprocessor->getDiagnostics().hasFatalErrorOccurred();
  if (!is_over || !is_parsing)
    return;
  const clang::SourceLocation where = token.getLocation();
  token.startToken();
  token.setKind(clang::tok::eof);
  token.setLocation(where);
}

// In front of clang's own too: code generation asks for nothing, and ends at nothing.
void emit(CodeGenFunction *function, const clang::Expr *statement) {
  if (!must_end_often())
    emit_in_clang(function, statement);
}

EarlyEnd::EarlyEnd(clang::CompilerInstance &compiler) : compiler_(compiler) {
  is_parsing = false; // the last compile on this thread may have been broken off
  compiler_.getPreprocessor().addPPCallbacks(std::make_unique<Questions>());
}

EarlyEnd::~EarlyEnd() {
  is_parsing = false;
}

void EarlyEnd::parsing_begins() {
  is_parsing = true;
}

void EarlyEnd::stop() {
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
