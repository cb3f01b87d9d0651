#pragma once

#include "hostmetal/compiler/lowering/air_kernel.hpp"

#include <llvm/Support/Error.h>

namespace hostmetal::lowering {

/// Inlines calls of functions with a body into the kernel and removes those functions, but for the
/// few that the device library keeps out of line.
/// Recursion other than by a function's last call, calls through pointers and calls of unknown
/// builtins are errors.
llvm::Error inline_calls(AirKernel &kernel);

} // namespace hostmetal::lowering
