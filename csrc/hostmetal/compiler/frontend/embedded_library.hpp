/// The standard library as it is built into the compiler library: header texts, and the same
/// precompiled.
#pragma once

#include <span>
#include <string_view>

namespace hostmetal::frontend {

struct EmbeddedHeader {
  std::string_view name; ///< as in `#include <name>`
  std::string_view text; ///< zero-terminated
};

std::span<const EmbeddedHeader> embedded_headers();

/// The precompiled header, zero-terminated; empty in the program that makes it.
std::string_view embedded_precompiled_header();

} // namespace hostmetal::frontend
