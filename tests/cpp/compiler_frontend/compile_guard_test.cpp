#include "hostmetal/compiler/guard/compile_guard.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <thread>

#include <clang/Basic/Stack.h>
#include <llvm/Support/ErrorHandling.h>

namespace hostmetal {
namespace {

TEST(CompileGuard, WorkStaysOnTheCallersThread) {
  std::thread::id worker;
  EXPECT_TRUE(run_guarded([&] { worker = std::this_thread::get_id(); }));
  EXPECT_EQ(worker, std::this_thread::get_id());
}

/// Uses 64 KiB for each level, and returns their number.
// NOLINTNEXTLINE(misc-no-recursion)
int descend(int levels, int &warnings) {
  char frame[64 << 10];
  frame[0] = 1;
  __asm__ volatile("" : : "r"(frame) : "memory"); // all of it is used
  if (levels == 0)
    return 0;
  int below = 0;
  clang::runWithSufficientStackSpace([&] { ++warnings; },
                                     [&] { below = descend(levels - 1, warnings); });
  return below + frame[0];
}

TEST(CompileGuard, RecursionGoesOnOnAnotherStack) {
  constexpr int levels = 20'000; // 1.25 GiB of frames
  int warnings = 0, sum = 0;
  EXPECT_TRUE(run_guarded([&] { sum = descend(levels, warnings); }));
  EXPECT_EQ(sum, levels);
  EXPECT_EQ(warnings, 2);
  EXPECT_FALSE(clang::isStackNearlyExhausted());
}

TEST(CompileGuard, ACrashBeyondTheFirstStackEndsTheWorkOnly) {
  bool is_over = false;
  EXPECT_FALSE(run_guarded([&] {
    clang::runWithSufficientStackSpaceSlow([] {},
                                           [] { llvm::report_fatal_error("too deep", false); });
    is_over = true;
  }));
  EXPECT_FALSE(is_over);
  EXPECT_TRUE(run_guarded([] {}));
}

TEST(CompileGuard, CrashesAndFatalErrorsEndTheWorkOnly) {
  for (int round = 0; round < 3; ++round) {
#if !__has_feature(thread_sanitizer) // to which all that follows is part of the signal's handler
    EXPECT_FALSE(run_guarded([] { std::raise(SIGSEGV); }));
    EXPECT_FALSE(run_guarded([] { std::raise(SIGABRT); }));
#endif
    EXPECT_FALSE(run_guarded([] { llvm::report_fatal_error("too late", false); }));
    EXPECT_TRUE(run_guarded([] {}));
  }
}

} // namespace
} // namespace hostmetal
