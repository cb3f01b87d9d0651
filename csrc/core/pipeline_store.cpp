#include "core/pipeline_store.hpp"

#include "core/cache_folder.hpp"
#include "core/platform.hpp"
#include "metalcore/cache.hpp"
#include "metalcore/preferences.hpp"
#include "metalcore/version.hpp"
#include "support/fork.hpp"
#include "support/log.hpp"
#include "support/request_key.hpp"

#include <algorithm>
#include <atomic>

namespace metalcore {

using namespace std::chrono_literals;

namespace {

constexpr std::string_view kind = "pipeline";

// What waits keeps its library and its pipeline alive.
constexpr std::size_t most_waiting = 256;
// A pipeline that was just made is about to be launched.
constexpr auto delay = 20ms;

struct ProcessStore {
  std::unique_ptr<PipelineStore> store;
  std::string why_not;   ///< a sentence, where there is none
  bool is_fault = false; ///< nobody wanted it so
};

ProcessStore open_store() {
  const Preferences &wishes = preferences();
  if (!wishes.cache)
    return {nullptr, "The preference \"cache\" is false."};
  const std::filesystem::path folder = cache_path();
  if (folder.empty())
    return {nullptr, "Neither the preference \"cache_dir\" nor the environment names a folder."};
  std::string why_not;
  auto files = DiskStore::open(folder, wishes.cache_max_size, why_not);
  if (!files)
    return {nullptr, why_not, true};
  return {std::make_unique<PipelineStore>(std::move(files)), ""};
}

constinit std::atomic<ProcessStore *> opened_store = nullptr;

// Leaked on purpose: a thread may build while the process ends.
ProcessStore &process_store() {
  static std::atomic<bool> is_logged = false;
  preferences(); // its warnings are logged, which is not for a Section
  ProcessStore &result = []() -> ProcessStore & {
    const fork::Section section; // the initialisation has a lock
    static ProcessStore &once = *new ProcessStore(open_store());
    return once;
  }();
  opened_store = &result;
  if (result.is_fault && !is_logged.exchange(true))
    log::warning(result.why_not);
  return result;
}

} // namespace

Digest pipeline_key(const Digest &library, std::string_view device,
                    const PipelineRequest &request) {
  RequestKey key;
  key.text(METALCORE_VERSION)
      .text(platform::driver_build())
      .text(device)
      .text({reinterpret_cast<const char *>(library.data()), library.size()})
      .text(request.key());
  return sha256(key.take());
}

PipelineStore::PipelineStore(std::shared_ptr<DiskStore> files)
    : files_(std::move(files)), writer_("mc-cache", most_waiting, delay) {}

std::optional<std::string> PipelineStore::load(const Digest &key, bool &is_damaged) {
  return files_->load(key, kind, &is_damaged);
}

// What is to be logged is logged here, too: the caller may be inside a fork::Section.
void PipelineStore::keep_later(const Digest &key, std::string name, bool is_repair, Make make) {
  writer_.post([this, key, name = std::move(name), is_repair, make = std::move(make)] {
    if (is_repair)
      log::debug("Pipeline \"" + name + "\" was compiled anew: its file in the cache \"" +
                 files_->folder().string() + "\" is damaged or of another compiler.");
    std::optional<std::string> bytes;
    {
      const fork::Section section; // the compiler and the driver have locks of their own
      bytes = make(*files_);
    }
    if (!bytes) {
      ++unmade_;
      log::debug("Pipeline \"" + name + "\" is not kept: it cannot be written as an archive.");
    } else if (!files_->store(key, kind, *bytes)) {
      log::debug("Pipeline \"" + name + "\" is not kept: the cache \"" + files_->folder().string() +
                 "\" cannot be written.");
    }
  });
}

DiskStore::Stats PipelineStore::stats() const {
  DiskStore::Stats stats = files_->stats();
  const uint64_t unusable = unusable_;
  stats.hits -= std::min(unusable, stats.hits);
  stats.damaged += unusable;
  stats.failed_stores += unmade_;
  return stats;
}

PipelineStore *pipeline_store() {
  ProcessStore *known = opened_store;
  return (known ? *known : process_store()).store.get();
}

std::string why_no_pipeline_store() {
  return process_store().why_not;
}

void shut_down_pipeline_store(std::chrono::nanoseconds patience) noexcept {
  ProcessStore *process = opened_store;
  if (process && process->store)
    process->store->writer().shut_down(patience);
}

} // namespace metalcore
