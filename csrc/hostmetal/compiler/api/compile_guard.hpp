#pragma once

#include <llvm/ADT/STLFunctionalExtras.h>

namespace hostmetal::api {

/// Runs `work` on a thread of its own with a deep stack. False: it crashed, or LLVM gave up on it;
/// what it had allocated is lost, and the process goes on. Thread-safe.
bool run_guarded(llvm::function_ref<void()> work);

} // namespace hostmetal::api
