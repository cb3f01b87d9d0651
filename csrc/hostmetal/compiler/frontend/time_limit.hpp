/// Ends a compile that takes too long by clang's own means, so that all it allocated is freed.
#pragma once

#include "hostmetal/compiler/guard/compile_guard.hpp"

namespace clang {
class CompilerInstance;
}

namespace hostmetal::frontend {

/// Once the time is up: a fatal error, after which clang instantiates no template; macros stay as
/// they are; the parser finds the end of the file wherever it looks.
class TimeLimit final : public TimeLimited {
public:
  /// Of what the instance, whose preprocessor is there, does while this lives.
  explicit TimeLimit(clang::CompilerInstance &compiler);
  ~TimeLimit() override;

  /// From here on all tokens are the parser's. A directive has an end of its own.
  void parsing_begins();
  void stop() override;

private:
  clang::CompilerInstance &compiler_;
  bool is_reported_ = false;
};

} // namespace hostmetal::frontend
