#pragma once

#include "metalcore/device.hpp"

#include <chrono>

namespace metalcore {

enum class WarmupState : uint8_t { disabled, skipped, running, done, failed, cancelled };

struct WarmupStage {
  std::string name;   ///< "device", "library", "compiler"
  double seconds = 0; ///< so far, where the stage is still running
  bool done = false;
};

struct WarmupReport {
  WarmupState state = WarmupState::disabled;
  std::string reason; ///< why it is disabled, skipped, failed or cancelled; empty otherwise
  std::vector<WarmupStage> stages; ///< those begun, in order
  double cpu_seconds = 0;          ///< that the warm-up thread used
  uint64_t pipelines_built = 0;    ///< in this process, by anybody
  uint64_t cache_hits = 0;         ///< of the pipeline cache
  uint64_t cache_misses = 0;
};

/// Starts the warm-up thread once, if preferences and the number of CPUs allow. Never blocks, never
/// throws.
METALCORE_API void start_warmup() noexcept;

struct WarmupOptions {
  bool blocking = true;
  std::optional<std::chrono::nanoseconds> timeout; ///< how long to block at the most
};
/// Starts the warm-up if nothing did (whatever the preferences say) and waits for its end.
METALCORE_API WarmupReport warmup(const WarmupOptions &options = {});
/// Blocks until the warm-up changed since `seen` stages were done, ended, or `timeout` passed;
/// returns the state then.
METALCORE_API WarmupReport wait_for_warmup(std::size_t seen, std::chrono::nanoseconds timeout);
METALCORE_API WarmupReport warmup_status();
/// Asks the warm-up to stop and joins its thread; bounded by the step under way. For the end of the
/// process.
METALCORE_API void shutdown() noexcept;

} // namespace metalcore
