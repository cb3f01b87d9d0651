#pragma once

#include "hostmetal/compiler/lowering/air_kernel.hpp"

#include <llvm/Support/Error.h>

namespace hostmetal::lowering {

/// An error that names the first function without a body which the kernel calls and which neither
/// the executor nor the C library provides.
llvm::Error reject_unknown_builtins(const AirKernel &kernel);

} // namespace hostmetal::lowering
