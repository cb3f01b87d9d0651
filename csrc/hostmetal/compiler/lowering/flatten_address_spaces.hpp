#pragma once

#include <llvm/IR/Module.h>

namespace hostmetal::lowering {

/// Gives every pointer address space 0, in types, globals, intrinsic names and metadata; variables
/// in address space 3 get the section that marks threadgroup variables. Apple's compiler writes
/// address spaces 1 to 3; ours writes 0 only, and then nothing is done.
void flatten_address_spaces(llvm::Module &module);

/// The section of threadgroup variables in modules with one address space.
inline constexpr char threadgroup_section[] = "air.threadgroup";

} // namespace hostmetal::lowering
