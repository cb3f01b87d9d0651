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

#include <vector>

namespace clang {
class Preprocessor;
class Token;
} // namespace clang

namespace hostmetal::frontend {

/// `tokens` is a whole translation unit, after the preprocessor, ended by eof.
std::vector<clang::Token> rewrite_tokens(const std::vector<clang::Token> &tokens,
                                         clang::Preprocessor &preprocessor);

} // namespace hostmetal::frontend
