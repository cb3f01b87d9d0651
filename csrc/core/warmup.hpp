#pragma once

#include "core/warmup_thread.hpp"

#include <vector>

namespace metalcore {

/// The stages of the process's warm-up, in order.
std::vector<WarmupTask> warmup_tasks();

/// Compiles a small kernel and builds its pipeline, past every cache, and drops both: whatever the
/// compiler loads on first use is there afterwards. Throws Error.
void exercise_compiler(const Device &device);

} // namespace metalcore
