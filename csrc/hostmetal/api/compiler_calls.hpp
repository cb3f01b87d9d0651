#pragma once

#include "support/fork.hpp"

namespace hostmetal::api {

/// The calling thread is inside the compiler library while this lives: no fork cuts LLVM's locks,
/// and the process does not run LLVM's destructors meanwhile. Throws Failure once the process ends.
class CompilerCall {
public:
  CompilerCall();
  ~CompilerCall();
  CompilerCall(const CompilerCall &) = delete;
  CompilerCall &operator=(const CompilerCall &) = delete;

  /// Makes exit() wait, for a bounded time, until no thread is inside. To be called once, after the
  /// compiler library was opened: exit() runs what was registered last first.
  static void guard_exit();

private:
  metalcore::fork::Section section_;
};

} // namespace hostmetal::api
