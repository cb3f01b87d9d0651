#include "hostmetal/compiler/guard/compile_guard.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <new>
#include <thread>

#include <clang/Basic/Stack.h>
#include <llvm/Support/ErrorHandling.h>

namespace hostmetal {
namespace {

TEST(CompileGuard, WorkStaysOnTheCallersThread) {
  std::thread::id worker;
  EXPECT_EQ(run_guarded([&] { worker = std::this_thread::get_id(); }), CompileEnd::finished);
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
  EXPECT_EQ(run_guarded([&] { sum = descend(levels, warnings); }), CompileEnd::finished);
  EXPECT_EQ(sum, levels);
  EXPECT_EQ(warnings, 2);
  EXPECT_FALSE(clang::isStackNearlyExhausted());
}

TEST(CompileGuard, ACrashBeyondTheFirstStackEndsTheWorkOnly) {
  bool is_over = false;
  const CompileEnd end = run_guarded([&] {
    clang::runWithSufficientStackSpaceSlow([] {},
                                           [] { llvm::report_fatal_error("too deep", false); });
    is_over = true;
  });
  EXPECT_EQ(end, CompileEnd::crashed);
  EXPECT_FALSE(is_over);
  EXPECT_EQ(run_guarded([] {}), CompileEnd::finished);
}

TEST(CompileGuard, CrashesAndFatalErrorsEndTheWorkOnly) {
  for (int round = 0; round < 3; ++round) {
#if !__has_feature(thread_sanitizer) // to which all that follows is part of the signal's handler
    EXPECT_EQ(run_guarded([] { std::raise(SIGSEGV); }), CompileEnd::crashed);
    EXPECT_EQ(run_guarded([] { std::raise(SIGABRT); }), CompileEnd::crashed);
#endif
    EXPECT_EQ(run_guarded([] { llvm::report_fatal_error("too late", false); }),
              CompileEnd::crashed);
    EXPECT_EQ(run_guarded([] {}), CompileEnd::finished);
  }
}

TEST(CompileGuard, WorkEndsWhenItsTimeIsUp) {
  using std::chrono::seconds;
  const auto forever = [] {
    for (;;)
      check_time_often();
  };
  EXPECT_EQ(run_guarded(forever, seconds(1)), CompileEnd::out_of_time);
  // The outer work's limit holds for what it runs guarded, and does so once only.
  EXPECT_EQ(run_guarded([&] { run_guarded(forever, seconds(0)); }, seconds(1)),
            CompileEnd::finished);
  EXPECT_EQ(run_guarded([] { check_time(); }, seconds(0)), CompileEnd::finished);
}

TEST(CompileGuard, WorkThatAsksForTooMuchMemoryEnds) {
  const volatile size_t too_much = SIZE_MAX / 4;
  EXPECT_EQ(run_guarded([&] { ::operator delete(::operator new(too_much)); }),
            CompileEnd::out_of_memory);
  EXPECT_THROW(::operator delete(::operator new(too_much)), std::bad_alloc);
}

} // namespace
} // namespace hostmetal
