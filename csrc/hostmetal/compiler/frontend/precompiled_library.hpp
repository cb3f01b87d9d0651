/// The standard library in clang's precompiled form.
#pragma once

#include <string>
#include <string_view>

namespace hostmetal::frontend {

/// Precompiles the embedded headers. Empty if they have errors, which `diagnostics` then holds.
std::string precompile_standard_library(std::string &diagnostics);

/// The precompiled header that fits the clang library in this process: the embedded one or, if that
/// was made by another build of clang, one that is made on the first call. Thread-safe.
std::string_view precompiled_library();

} // namespace hostmetal::frontend
