#pragma once

#include <llvm/ADT/STLFunctionalExtras.h>

namespace hostmetal {

/// Runs `work` on the calling thread, on a deep stack. False: it crashed, or LLVM gave up on it, or
/// there is no memory for the stack; what it had allocated is lost, and the process goes on.
/// Thread-safe.
bool run_guarded(llvm::function_ref<void()> work);

} // namespace hostmetal
