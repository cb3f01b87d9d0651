/// Calls of AIR's builtins, from the C++ ABI's form to AIR's.
#pragma once

namespace clang {
class CodeGenerator;
}

namespace hostmetal::frontend {

/// The x86-64 ABI passes vectors in registers of another type or in memory; AIR passes them as
/// values. The standard library declares builtins, and so do programs.
void pass_vectors_by_value(clang::CodeGenerator &generator);

} // namespace hostmetal::frontend
