/// Turns the tokens of an MSL source into C++ that stock clang parses. Locations stay the user's.
///
/// - `device`, `threadgroup`, `constant`, `thread` become address space attributes; after a
///   parameter list (`T get() const device`) they are dropped, as members take any space.
/// - `kernel`, `vertex`, `fragment` become attributes.
/// - `threadgroup T x[n];` in a function becomes static.
/// - `constant T x [[function_constant(n)]];` becomes extern: its value comes at pipeline creation.
/// - `1.0h` and `1.0bf` become literals of the types behind half and bfloat.
/// - `template [[host_name("x")]] [[kernel]] …` gets GNU attributes, which C++ allows there.
#pragma once

#include "clang/Basic/SourceLocation.h"
#include "clang/Lex/Token.h"
#include "llvm/ADT/DenseSet.h"

#include <vector>

namespace clang {
class Preprocessor;
}

namespace hostmetal::frontend {

struct RewrittenTokens {
  std::vector<clang::Token> tokens;
  /// Each `*`, `&` and `&&` before which an address space is written, if only `thread`, of which
  /// nothing is left.
  llvm::DenseSet<clang::SourceLocation> in_space;
};

/// `tokens` is a whole translation unit, after the preprocessor, ended by eof.
RewrittenTokens rewrite_tokens(const std::vector<clang::Token> &tokens,
                               clang::Preprocessor &preprocessor);

} // namespace hostmetal::frontend
