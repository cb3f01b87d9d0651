#pragma once

#include "hostmetal/compiler/lowering/air_kernel.hpp"

#include <llvm/Support/Error.h>

namespace hostmetal::lowering {

/// Inlines every call of a function with a body into the kernel and removes those functions.
/// Recursion, calls through pointers and calls of unknown builtins are errors.
llvm::Error inline_calls(AirKernel &kernel);

} // namespace hostmetal::lowering
