#pragma once

#include "core/compile_pool.hpp"
#include "core/pipeline_cache.hpp"
#include "core/warmup_thread.hpp"

#include <memory>
#include <vector>

namespace metalcore {

/// The stages of the process's warm-up, in order.
std::vector<WarmupTask> warmup_tasks();

/// The process's threads for compiles that nobody waits for yet: one per allowed CPU, at most 8.
CompilePool &compile_pool();

/// Compiles a small kernel and builds its pipeline, past every cache, and drops both: whatever the
/// compiler loads on first use is there afterwards. `should_stop` is asked between the two. Throws
/// Error.
void exercise_compiler(const Device &device, const WarmupTask::StopCheck &should_stop);

/// Library::pipeline for those who are not the program: no use is recorded.
void build_ahead(const Library &library, const PipelineRequest &request);

} // namespace metalcore
