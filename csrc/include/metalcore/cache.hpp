#pragma once

#include "metalcore/export.hpp"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>

// What is kept on disk between runs, so that no kernel is compiled twice: one checked file per
// pipeline, in a folder that is the user's alone. All of it can be removed at any time.

namespace metalcore {

struct CacheStats {
  std::string disabled_reason; ///< a sentence; empty where the cache is in use
  uint64_t files = 0;          ///< in the folder
  uint64_t bytes = 0;          ///< that they take
  uint64_t max_size = 0;       ///< bytes; the preference `cache_max_size`
  uint64_t hits = 0;           ///< pipelines that this process loaded, like all that follow
  uint64_t misses = 0;         ///< pipelines of which nothing was there
  uint64_t damaged = 0;        ///< pipelines whose file was damaged or from another compiler
  uint64_t stored = 0;
  uint64_t failed_stores = 0; ///< no space, or not allowed
  uint64_t pending = 0;       ///< on their way to the disk
};

/// Looks through the folder. Any thread.
METALCORE_API CacheStats cache_stats();

/// The folder for this version of metalcore and Metal on this machine, whether or not it exists;
/// empty where there is none to be named. Any thread.
METALCORE_API std::filesystem::path cache_path();

struct CacheRemoved {
  uint64_t files = 0;
  uint64_t bytes = 0;
};

/// Removes every file that metalcore put there. Pipelines in use stay good. Any thread.
METALCORE_API CacheRemoved clear_cache();

/// Removes the least recently used files beyond the limit, temporary files that a process left more
/// than an hour ago, and the folders of other versions that nobody used for 30 days. Happens by
/// itself as the cache grows. Any thread.
METALCORE_API CacheRemoved prune_cache();

/// Waits until what was built so far is on disk. False when `timeout` was over before. Any thread.
METALCORE_API bool wait_for_cache(std::chrono::nanoseconds timeout);

} // namespace metalcore
