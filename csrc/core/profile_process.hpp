#pragma once

#include "core/pipeline_cache.hpp"
#include "core/profile_replay.hpp"
#include "core/warmup_thread.hpp"

// The warm-up profile of this process.

namespace metalcore {

/// Whether there is anything to replay; reads the profile.
bool has_process_profile();

/// Builds what the program used last time. Throws Error{device}.
void replay_process_profile(const WarmupTask::StopCheck &should_stop);

/// Adds what the replay did to a report.
void describe_replay(WarmupReport &report);

/// The program uses a pipeline; `library` is null for the built-in kernels. Never throws.
void record_use(const std::shared_ptr<const LibraryRequest> &library,
                const PipelineRequest &pipeline) noexcept;

/// Saves what was recorded, and nothing more after it. `end_profile` comes when builds have ended.
void save_profile_at_exit() noexcept;
void end_profile() noexcept;

} // namespace metalcore
