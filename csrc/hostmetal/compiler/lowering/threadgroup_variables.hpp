#pragma once

#include "hostmetal/compiler/lowering/air_kernel.hpp"

#include <llvm/Support/Error.h>

namespace hostmetal::lowering {

/// Lays the kernel's threadgroup variables out in the group's memory and replaces each by its
/// offset from intrinsic::threadgroup_memory. Sets static_threadgroup_memory.
llvm::Error lower_threadgroup_variables(AirKernel &kernel);

} // namespace hostmetal::lowering
