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

thread_local llvm::MutableArrayRef<Token> tokens_of_parser; ///< empty: it is not at work
thread_local size_t tokens_after_end = 0;

/// The parser gets those that it has looked at already, and goes back to. That may be exponentially
/// often.
constexpr size_t most_after_end = size_t{1} << 20;

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

Token end_of_file(clang::SourceLocation where) {
  Token token;
  token.startToken();
  token.setKind(clang::tok::eof);
  token.setLocation(where);
  return token;
}

// The linker puts this in front of clang's own (--wrap). After any fatal error (there were too many
// others) clang would parse on in silence.
void lex(Preprocessor *preprocessor, Token &token) {
  lex_in_clang(preprocessor, token);
  const bool is_over = must_end_often() || preprocessor->getDiagnostics().hasFatalErrorOccurred();
  if (!is_over || tokens_of_parser.empty())
    return;
  if (tokens_after_end++ == 0)
    for (Token &unread : tokens_of_parser)
      unread = end_of_file(unread.getLocation());
  else if (tokens_after_end > most_after_end)
    token = end_of_file(token.getLocation());
}

// In front of clang's own too: code generation asks for nothing, and ends at nothing.
void emit(CodeGenFunction *function, const clang::Expr *statement) {
  if (!must_end_often())
    emit_in_clang(function, statement);
}

void end_quietly(clang::DiagnosticsEngine &diagnostics) {
  const bool is_silent = diagnostics.getSuppressAllDiagnostics();
  clang::DiagnosticConsumer *const client = diagnostics.getClient();
  std::unique_ptr<clang::DiagnosticConsumer> owned = diagnostics.takeClient();
  clang::IgnoringDiagConsumer nobody;
  diagnostics.setClient(&nobody, /*ShouldOwnClient=*/false);
  diagnostics.setSuppressAllDiagnostics(false);
  // One of clang's own, for only those end the instantiation of templates.
  diagnostics.Report(clang::diag::fatal_too_many_errors);
  diagnostics.setSuppressAllDiagnostics(is_silent);
  const bool is_owned = owned.release() != nullptr;
  diagnostics.setClient(client, is_owned);
}

EarlyEnd::EarlyEnd(clang::CompilerInstance &compiler) : compiler_(compiler) {
  tokens_of_parser = {}; // the last compile on this thread may have been broken off
  compiler_.getPreprocessor().addPPCallbacks(std::make_unique<Questions>());
}

EarlyEnd::~EarlyEnd() {
  tokens_of_parser = {};
}

void EarlyEnd::parsing_begins(llvm::MutableArrayRef<Token> tokens) {
  tokens_of_parser = tokens;
  tokens_after_end = 0;
}

void EarlyEnd::stop() {
  // A directive that is being read ends with the old setting.
  compiler_.getPreprocessor().SetMacroExpansionOnlyInDirectives();
  clang::DiagnosticsEngine &diagnostics = compiler_.getDiagnostics();
  if (is_reported_ || diagnostics.isDiagnosticInFlight())
    return;
  end_quietly(diagnostics);
  is_reported_ = true;
}

} // namespace hostmetal::frontend
