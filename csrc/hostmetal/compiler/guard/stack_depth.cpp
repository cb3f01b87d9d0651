// What clang asks of the stack before it goes deeper, answered for the stacks that compiles run on:
// its own answers know nothing of a thread's second stack.
#include "hostmetal/compiler/guard/compile_guard.hpp"
#include "support/linux/deep_stack.hpp"

#include <clang/Basic/Stack.h>
#include <llvm/Support/CrashRecoveryContext.h>
#include <llvm/Support/ErrorHandling.h>

namespace {

// As in clang: enough for whatever happens between two questions.
constexpr size_t sufficient = 256 << 10;

} // namespace

void clang::noteBottomOfStack() {}

bool clang::isStackNearlyExhausted() {
  hostmetal::must_end_often(); // clang asks wherever it goes deeper, so for every instantiation
  return metalcore::DeepStack::left() < sufficient;
}

void clang::runWithSufficientStackSpaceSlow(llvm::function_ref<void()> Diag,
                                            llvm::function_ref<void()> Fn) {
  // A crash is the whole compile's, but its jump must not leave the stack that it happened on.
  const hostmetal::CompileEnd end = hostmetal::run_guarded([&] {
    Diag();
    Fn();
  });
  if (end == hostmetal::CompileEnd::finished)
    return;
  if (llvm::CrashRecoveryContext *outer = llvm::CrashRecoveryContext::GetCurrent())
    outer->HandleExit(1);
  llvm::report_fatal_error("The compiler crashed deep within a source.", false);
}
