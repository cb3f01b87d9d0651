#include "hostmetal/compiler/guard/compile_guard.hpp"

#include "support/linux/deep_stack.hpp"

#include <llvm/Support/CrashRecoveryContext.h>
#include <llvm/Support/ErrorHandling.h>

#include <mutex>
#include <new>

namespace hostmetal {
namespace {

/// LLVM ends the process after its handlers return; leaving the crash context does not return.
void leave_on_fatal_error(void *, const char *, bool) {
  if (llvm::CrashRecoveryContext *context = llvm::CrashRecoveryContext::GetCurrent())
    context->HandleExit(1);
}

} // namespace

bool run_guarded(llvm::function_ref<void()> work) {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::CrashRecoveryContext::Enable();
    llvm::install_fatal_error_handler(leave_on_fatal_error);
    llvm::install_bad_alloc_error_handler(leave_on_fatal_error);
  });
  bool survived = false;
  try {
    metalcore::DeepStack::run([&] {
      llvm::CrashRecoveryContext context;
      survived = context.RunSafely(work);
    });
  } catch (const std::bad_alloc &) { // no memory for the stack
  }
  return survived;
}

} // namespace hostmetal
