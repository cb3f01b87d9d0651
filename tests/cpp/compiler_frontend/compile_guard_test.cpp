#include "hostmetal/compiler/guard/compile_guard.hpp"

#include "support/deep_thread.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <thread>

#include <llvm/Support/ErrorHandling.h>

namespace hostmetal {
namespace {

/// Where run_guarded runs its work when it is called on this thread.
bool runs_on_this_thread() {
  std::thread::id worker;
  EXPECT_TRUE(run_guarded([&] { worker = std::this_thread::get_id(); }));
  return worker == std::this_thread::get_id();
}

TEST(CompileGuard, TheCallersThreadServesWhereItIsDeep) {
  EXPECT_FALSE(runs_on_this_thread()); // the main thread
  bool on_usual = true, on_deep = false;
  std::thread([&] { on_usual = runs_on_this_thread(); }).join();
  metalcore::DeepThread([&] { on_deep = runs_on_this_thread(); }).join();
  EXPECT_FALSE(on_usual);
  EXPECT_TRUE(on_deep);
}

TEST(CompileGuard, CrashesAndFatalErrorsEndTheWorkOnly) {
  const auto survive = [] {
    for (int round = 0; round < 3; ++round) {
#if !__has_feature(thread_sanitizer) // to which all that follows is part of the signal's handler
      EXPECT_FALSE(run_guarded([] { std::raise(SIGSEGV); }));
      EXPECT_FALSE(run_guarded([] { std::raise(SIGABRT); }));
#endif
      EXPECT_FALSE(run_guarded([] { llvm::report_fatal_error("too late", false); }));
      EXPECT_TRUE(run_guarded([] {}));
    }
  };
  survive();
  metalcore::DeepThread(survive).join();
}

} // namespace
} // namespace hostmetal
