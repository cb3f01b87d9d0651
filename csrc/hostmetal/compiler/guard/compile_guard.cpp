#include "hostmetal/compiler/guard/compile_guard.hpp"

#include "support/deep_thread.hpp"

#include <llvm/Support/CrashRecoveryContext.h>
#include <llvm/Support/ErrorHandling.h>

#include <cstdint>
#include <mutex>

#include <pthread.h>
#include <unistd.h>

namespace hostmetal {
namespace {

// Enough for the recursion of clang and LLVM on generated sources.
constexpr size_t deep_enough = metalcore::DeepThread::stack_size / 2;

/// LLVM ends the process after its handlers return; leaving the crash context does not return.
void leave_on_fatal_error(void *, const char *, bool) {
  if (llvm::CrashRecoveryContext *context = llvm::CrashRecoveryContext::GetCurrent())
    context->HandleExit(1);
}

bool is_on_deep_stack() {
  // To ask for the main thread's would read a file, and the answer is no.
  if (gettid() == getpid())
    return false;
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0)
    return false;
  void *lowest = nullptr;
  size_t size = 0;
  pthread_attr_getstack(&attributes, &lowest, &size);
  pthread_attr_destroy(&attributes);
  const auto here = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  return here - reinterpret_cast<uintptr_t>(lowest) >= deep_enough;
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
  return is_on_deep_stack() ? context.RunSafely(work)
                            : context.RunSafelyOnThread(work, metalcore::DeepThread::stack_size);
}

} // namespace hostmetal
