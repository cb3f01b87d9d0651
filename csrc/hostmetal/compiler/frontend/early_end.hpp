/// Ends a compile that takes too long, finds no more memory or has a fatal error, by clang's own
/// means: so that all it allocated is freed.
#pragma once

#include "hostmetal/compiler/guard/compile_guard.hpp"

namespace clang {
class CompilerInstance;
}

namespace hostmetal::frontend {

/// Once the compile must end: a fatal error, after which clang instantiates no template; macros
/// stay as they are; the parser finds the end of the file wherever it looks.
class EarlyEnd final : public Stoppable {
public:
  /// Of what the instance, whose preprocessor is there, does while this lives.
  explicit EarlyEnd(clang::CompilerInstance &compiler);
  ~EarlyEnd() override;

  /// From here on all tokens are the parser's. A directive has an end of its own.
  void parsing_begins();
  void stop() override;

private:
  clang::CompilerInstance &compiler_;
  bool is_reported_ = false;
};

} // namespace hostmetal::frontend
