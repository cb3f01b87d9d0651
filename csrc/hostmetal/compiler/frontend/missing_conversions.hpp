/// Conversions that MSL has and clang has not: between half and bfloat, and of a string literal to
/// a pointer to `constant`.
#pragma once

#include "clang/Basic/Diagnostic.h"
#include "clang/Lex/Token.h"

#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace clang {
class Preprocessor;
}

namespace hostmetal::frontend {

/// The expressions of one source that clang would not convert. A parse finds them by its errors;
/// the next parse of the same source finds them inside of a call that makes what clang converts.
class MissingConversions {
public:
  /// Tokens as the parser gets them, the calls added; the same for each parse of the source.
  std::vector<clang::Token> apply(std::vector<clang::Token> tokens,
                                  clang::Preprocessor &preprocessor);

  /// Notes the expression that a diagnostic is about, if it is one of those.
  void note(clang::DiagnosticsEngine::Level level, const clang::Diagnostic &diagnostic);

  /// Whether anything was noted since the last call of this.
  bool take_news() { return std::exchange(has_news_, false); }

private:
  /// First and last token of an expression, as indices.
  using Place = std::pair<size_t, size_t>;

  std::optional<Place> place_of(clang::SourceRange range) const;
  bool is_literal_text(const Place &place) const;
  /// The argument of that number, counted from 1, of the call that the last error was about.
  std::optional<Place> argument(unsigned number) const;

  std::vector<clang::Token> tokens_; // of the present parse, without the calls
  std::set<Place> places_;
  clang::SourceRange error_; // what the last error was about
  bool has_news_ = false;
};

/// Passes diagnostics on to another consumer, and to `conversions`.
class ConversionWatch : public clang::DiagnosticConsumer {
public:
  /// Takes the place of the engine's consumer, until it is destroyed.
  ConversionWatch(clang::DiagnosticsEngine &engine, MissingConversions &conversions);
  ~ConversionWatch() override;

  void BeginSourceFile(const clang::LangOptions &options,
                       const clang::Preprocessor *preprocessor) override {
    next_->BeginSourceFile(options, preprocessor);
  }
  void EndSourceFile() override { next_->EndSourceFile(); }
  void HandleDiagnostic(clang::DiagnosticsEngine::Level level,
                        const clang::Diagnostic &diagnostic) override;

private:
  clang::DiagnosticsEngine &engine_;
  std::unique_ptr<clang::DiagnosticConsumer> owned_;
  clang::DiagnosticConsumer *next_;
  MissingConversions &conversions_;
};

} // namespace hostmetal::frontend
