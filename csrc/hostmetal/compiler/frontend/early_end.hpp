/// Ends a compile that takes too long, finds no more memory or has a fatal error, by clang's own
/// means: so that all it allocated is freed.
#pragma once

#include "hostmetal/compiler/guard/compile_guard.hpp"

#include "clang/Basic/SourceLocation.h"
#include "llvm/ADT/ArrayRef.h"

namespace clang {
class CompilerInstance;
class DiagnosticsEngine;
class Token;
} // namespace clang

namespace hostmetal::frontend {

/// A fatal error that nobody sees: clang instantiates no template any more, and finds the end of
/// the file behind what it has read. Not while something else is being reported.
void end_quietly(clang::DiagnosticsEngine &diagnostics);

clang::Token end_of_file(clang::SourceLocation where);

/// Once the compile must end: a fatal error, after which clang instantiates no template; macros
/// stay as they are; the parser finds the end of the file behind what it has read.
class EarlyEnd final : public Stoppable {
public:
  /// Of what the instance, whose preprocessor is there, does while this lives.
  explicit EarlyEnd(clang::CompilerInstance &compiler);
  ~EarlyEnd() override;

  /// The parser reads these from here on. Before, a directive has an end of its own.
  void parsing_begins(llvm::MutableArrayRef<clang::Token> tokens);
  void stop() override;

private:
  clang::CompilerInstance &compiler_;
  bool is_reported_ = false;
};

} // namespace hostmetal::frontend
