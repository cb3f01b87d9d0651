#pragma once

#include "hostmetal/compiler/lowering/air_kernel.hpp"

#include <llvm/Support/Error.h>
#include <llvm/Target/TargetMachine.h>

#include <string>

namespace hostmetal::codegen {

/// Optimises a lowered kernel and generates its relocatable object. The same input gives the same
/// bytes. Errors of class KernelError are the user's: too much private memory.
llvm::Expected<std::string> emit_object(lowering::AirKernel &kernel, llvm::TargetMachine &target);

/// The object of a module as it stands, without optimisation.
llvm::Expected<std::string> emit_module(llvm::Module &module, llvm::TargetMachine &target);

} // namespace hostmetal::codegen
