#pragma once

#include "core/background_writer.hpp"
#include "core/pipeline_cache.hpp"
#include "support/disk_store.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace metalcore {

/// The name of a pipeline among all that any version of metalcore made on any machine. `library`
/// tells its code, `device` what runs it.
Digest pipeline_key(const Digest &library, std::string_view device, const PipelineRequest &request);

/// Pipelines as bytes, kept on disk by a thread in the background. Any thread.
class PipelineStore {
public:
  explicit PipelineStore(std::shared_ptr<DiskStore> files);

  /// What was kept for the key; `is_damaged` says whether that is empty because of what is there.
  /// Whoever cannot use it says so.
  std::optional<std::string> load(const Digest &key, bool &is_damaged);
  void note_unusable() { ++unusable_; }

  /// Makes the bytes in the background and keeps them. Dropped where too much is waiting.
  /// `is_repair`: there was something unusable.
  using Make = std::function<std::optional<std::string>(DiskStore &)>;
  void keep_later(const Digest &key, std::string name, bool is_repair, Make make);

  DiskStore &files() { return *files_; }
  BackgroundWriter &writer() { return writer_; }
  /// Like the files' own, with what could not be used counted as damaged. Of pipelines only, but
  /// for `files` and `bytes`.
  DiskStore::Stats stats() const;

private:
  const std::shared_ptr<DiskStore> files_;
  std::atomic<uint64_t> unusable_ = 0, unmade_ = 0;
  BackgroundWriter writer_;
};

/// The process's; null where the preferences have none or its folder must not be used, of which the
/// first call warns. Not from inside a fork::Section. Any thread.
PipelineStore *pipeline_store();

/// Why there is none; empty where there is one.
std::string why_no_pipeline_store();

/// Goes on keeping what is under way for as long as `patience`, and ends. For the end of the
/// process.
void shut_down_pipeline_store(std::chrono::nanoseconds patience) noexcept;

} // namespace metalcore
