/// What is built into the compiler library: the standard library's header texts, the same
/// precompiled, and a kernel.
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

/// The middle form of a small kernel that is called "warm_up".
std::string_view embedded_kernel();

} // namespace hostmetal::frontend
