// What clang asks of the stack before it goes deeper, answered for the stacks that compiles run on:
// its own answers know nothing of a thread's second stack.
#include "support/linux/deep_stack.hpp"

#include <clang/Basic/Stack.h>
#include <llvm/Support/CrashRecoveryContext.h>

namespace {

// As in clang: enough for whatever happens between two questions.
constexpr size_t sufficient = 256 << 10;

} // namespace

void clang::noteBottomOfStack() {}

bool clang::isStackNearlyExhausted() {
  return metalcore::DeepStack::left() < sufficient;
}

void clang::runWithSufficientStackSpaceSlow(llvm::function_ref<void()> Diag,
                                            llvm::function_ref<void()> Fn) {
  bool survived = false;
  metalcore::DeepStack::run([&] {
    llvm::CrashRecoveryContext context;
    survived = context.RunSafely([&] {
      Diag();
      Fn();
    });
  });
  // The crash is the whole compile's, but its jump must not leave this stack.
  if (llvm::CrashRecoveryContext *outer = llvm::CrashRecoveryContext::GetCurrent();
      outer && !survived)
    outer->HandleExit(1);
}
