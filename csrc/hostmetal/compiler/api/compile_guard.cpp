#include "hostmetal/compiler/api/compile_guard.hpp"

#include <llvm/Support/CrashRecoveryContext.h>
#include <llvm/Support/ErrorHandling.h>

#include <mutex>

namespace hostmetal::api {
namespace {

/// Deep enough for the recursion of clang and LLVM on generated sources.
constexpr unsigned stack_size = 64u << 20;

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
  llvm::CrashRecoveryContext context;
  return context.RunSafelyOnThread(work, stack_size);
}

} // namespace hostmetal::api
