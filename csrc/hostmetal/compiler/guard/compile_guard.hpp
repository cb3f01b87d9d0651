#pragma once

#include <llvm/ADT/STLFunctionalExtras.h>

#include <chrono>
#include <cstdint>
#include <string>

namespace hostmetal {

enum class CompileEnd : uint8_t { finished, crashed, out_of_memory, out_of_time };

/// Processor time that a compile may take; zero: as much as it likes. From
/// HOSTMETAL_COMPILE_TIME_LIMIT, in seconds, when the first compile begins.
std::chrono::seconds compile_time_limit();

/// Runs `work` on the calling thread, on a deep stack. Whatever it ends by, the process goes on.
/// Work that crashes, or that must be broken off, loses what it had allocated. Within other guarded
/// work, the outer one's limit holds. Thread-safe.
CompileEnd run_guarded(llvm::function_ref<void()> work,
                       std::chrono::nanoseconds limit = compile_time_limit());

/// "crashed", "ran out of memory", …: what the compiler did.
std::string describe(CompileEnd end);

/// Whether the guarded work on this thread is to end by itself: its time is up, or it found no more
/// memory. Whoever may take long asks now and then, without a lock. Work that goes on asking for
/// some seconds more is broken off.
bool must_end();
/// The same where it is asked thousands of times in a second: most calls only count.
bool must_end_often();

/// Runs work that allocates much and calls nothing of clang's or LLVM's. False if there was no
/// memory for it: then the guarded work must end.
bool try_allocate(llvm::function_ref<void()> work);

/// What ends guarded work whose questions are asked where nobody can end it: in the depths of
/// clang. Belongs to the thread that makes it; one at a time.
class Stoppable {
public:
  Stoppable();
  virtual ~Stoppable();
  Stoppable(const Stoppable &) = delete;
  Stoppable &operator=(const Stoppable &) = delete;

  /// Called from such a question once the work must end, and from later ones again.
  virtual void stop() = 0;
};

} // namespace hostmetal
