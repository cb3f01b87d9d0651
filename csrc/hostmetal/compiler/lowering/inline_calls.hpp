#pragma once

#include "hostmetal/compiler/lowering/air_kernel.hpp"

#include <llvm/Support/Error.h>

namespace hostmetal::lowering {

/// Inlines calls of functions with a body into the kernel and removes those functions, but for the
/// few that the device library keeps out of line, and those that call themselves: a call of a
/// function by itself in its last place becomes a loop, and what recursion is left stays calls
/// (recursive_functions.hpp). A kernel that calls itself is an error.
llvm::Error inline_calls(AirKernel &kernel);

} // namespace hostmetal::lowering
