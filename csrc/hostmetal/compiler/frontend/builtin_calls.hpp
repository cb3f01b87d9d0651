/// Calls of AIR's builtins, from the C++ ABI's form to AIR's.
#pragma once

namespace llvm {
class Module;
}

namespace hostmetal::frontend {

/// The x86-64 ABI passes vectors of more than 16 bytes in memory; AIR passes them as values.
void pass_vectors_by_value(llvm::Module &module);

} // namespace hostmetal::frontend
