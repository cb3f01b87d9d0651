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

using std::chrono::milliseconds;

TEST(CompileGuard, WorkEndsByItselfWhenItsTimeIsUp) {
  bool has_ended = false;
  const auto until_told = [&] {
    while (!must_end_often()) {
    }
    has_ended = must_end();
  };
  EXPECT_EQ(run_guarded(until_told, milliseconds(20)), CompileEnd::out_of_time);
  EXPECT_TRUE(has_ended);
  // The outer work's limit holds for what it runs guarded, which finishes.
  CompileEnd inner = CompileEnd::crashed;
  EXPECT_EQ(
      run_guarded([&] { inner = run_guarded(until_told, milliseconds(0)); }, milliseconds(20)),
      CompileEnd::out_of_time);
  EXPECT_EQ(inner, CompileEnd::finished);
  EXPECT_EQ(run_guarded([&] { has_ended = must_end(); }, milliseconds(0)), CompileEnd::finished);
  EXPECT_FALSE(has_ended);
  EXPECT_FALSE(must_end());
}

/// Work of which this is a part asks where it cannot end.
struct Flag final : Stoppable {
  void stop() override { ++stops; }
  int stops = 0;
};

TEST(CompileGuard, WhoAsksInTheDepthsHasTheWorkStopped) {
  int stops = 0;
  const auto work = [&] {
    Flag flag;
    while (flag.stops < 3)
      must_end_often();
    stops = flag.stops;
  };
  EXPECT_EQ(run_guarded(work, milliseconds(20)), CompileEnd::out_of_time);
  EXPECT_EQ(stops, 3);
}

TEST(CompileGuard, WorkThatDoesNotEndIsBrokenOff) {
  const auto forever = [] {
    for (;;)
      must_end_often();
  };
  EXPECT_EQ(run_guarded(forever, milliseconds(20)), CompileEnd::out_of_time);
  EXPECT_EQ(run_guarded([] {}), CompileEnd::finished);
}

#if !__has_feature(address_sanitizer) // whose `new` ends the process rather than throw
TEST(CompileGuard, WorkOfOursMayEndByItselfWhenMemoryIsNotThere) {
  const volatile size_t too_much = SIZE_MAX / 4;
  bool is_done = true, is_told = false;
  const CompileEnd end = run_guarded([&] {
    is_done = try_allocate([&] { ::operator delete(::operator new(too_much)); });
    is_told = must_end();
  });
  EXPECT_EQ(end, CompileEnd::out_of_memory);
  EXPECT_FALSE(is_done);
  EXPECT_TRUE(is_told);
  EXPECT_EQ(run_guarded([&] { is_done = try_allocate([] {}); }), CompileEnd::finished);
  EXPECT_TRUE(is_done);
}
#endif

TEST(CompileGuard, WorkHasAReserveToEndByItself) {
  bool is_told = false, goes_on = false;
  // What `new` calls when it finds none. The second time, the reserve is used up.
  EXPECT_EQ(run_guarded([&] {
              std::get_new_handler()();
              is_told = must_end();
            }),
            CompileEnd::out_of_memory);
  EXPECT_TRUE(is_told);
  EXPECT_EQ(run_guarded([&] {
              std::get_new_handler()();
              std::get_new_handler()();
              goes_on = true;
            }),
            CompileEnd::out_of_memory);
  EXPECT_FALSE(goes_on);
}

#if !__has_feature(address_sanitizer)
TEST(CompileGuard, WorkThatAsksForTooMuchMemoryEnds) {
  const volatile size_t too_much = SIZE_MAX / 4;
  EXPECT_EQ(run_guarded([&] { ::operator delete(::operator new(too_much)); }),
            CompileEnd::out_of_memory);
  EXPECT_THROW(::operator delete(::operator new(too_much)), std::bad_alloc);
}
#endif

} // namespace
} // namespace hostmetal
