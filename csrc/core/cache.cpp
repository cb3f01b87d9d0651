#include "metalcore/cache.hpp"

#include "core/cache_folder.hpp"
#include "core/pipeline_store.hpp"
#include "core/platform.hpp"

namespace metalcore {

CacheStats cache_stats() {
  CacheStats stats;
  PipelineStore *store = pipeline_store();
  if (!store) {
    stats.disabled_reason = why_no_pipeline_store();
    return stats;
  }
  const DiskStore::Stats of_files = store->stats();
  stats.files = of_files.files;
  stats.bytes = of_files.bytes;
  stats.max_size = of_files.max_size;
  stats.hits = of_files.hits;
  stats.misses = of_files.misses;
  stats.damaged = of_files.damaged;
  stats.stored = of_files.stored;
  stats.failed_stores = of_files.failed_stores;
  stats.pending = store->writer().pending();
  return stats;
}

std::filesystem::path cache_path() {
  const std::filesystem::path &folder = cache_folder();
  return folder.empty() ? folder : folder / platform::driver_build();
}

CacheRemoved clear_cache() {
  PipelineStore *store = pipeline_store();
  const auto removed = store ? store->files().clear() : DiskStore::Pruned();
  return {removed.files, removed.bytes};
}

CacheRemoved prune_cache() {
  PipelineStore *store = pipeline_store();
  const auto removed = store ? store->files().prune() : DiskStore::Pruned();
  return {removed.files, removed.bytes};
}

bool wait_for_cache(std::chrono::nanoseconds timeout) {
  PipelineStore *store = pipeline_store();
  return !store || store->writer().wait(timeout);
}

} // namespace metalcore
