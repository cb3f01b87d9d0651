#pragma once

#include <llvm/ADT/STLFunctionalExtras.h>

namespace hostmetal {

/// Runs `work` on a deep stack: the calling thread's, if it has one (a metalcore::DeepThread), and
/// else that of another thread. False: it crashed, or LLVM gave up on it; what it had allocated is
/// lost, and the process goes on. Thread-safe.
bool run_guarded(llvm::function_ref<void()> work);

} // namespace hostmetal
