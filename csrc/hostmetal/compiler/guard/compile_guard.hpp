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

/// Runs `work` on the calling thread, on a deep stack. Whatever it ends by, the process goes on;
/// unless it finished, what it had allocated is lost. Within other guarded work, the outer one's
/// limit holds. Thread-safe.
CompileEnd run_guarded(llvm::function_ref<void()> work,
                       std::chrono::seconds limit = compile_time_limit());

/// "crashed", "ran out of memory", …: what the compiler did.
std::string describe(CompileEnd end);

/// Ends the guarded work on this thread if its time is up. Whoever may take long calls it now and
/// then, without a lock.
void check_time();
/// The same where it is asked thousands of times in a second: most calls only count.
void check_time_often();

} // namespace hostmetal
