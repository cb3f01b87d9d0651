/// Attaches the precompiled standard library to a compiler instance.
#pragma once

namespace clang {
class CompilerInstance;
}

namespace hostmetal::frontend {

/// False if the precompiled header does not fit this clang; then that was reported.
bool attach_standard_library(clang::CompilerInstance &compiler);

} // namespace hostmetal::frontend
