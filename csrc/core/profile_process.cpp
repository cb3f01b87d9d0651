#include "core/profile_process.hpp"

#include "core/cache_folder.hpp"
#include "core/delayed_call.hpp"
#include "core/platform.hpp"
#include "core/warmup.hpp"
#include "metalcore/preferences.hpp"
#include "metalcore/version.hpp"
#include "support/fork.hpp"
#include "support/request_key.hpp"
#include "support/sha256.hpp"

#include <atomic>
#include <cstdlib>
#include <stdexcept>

namespace metalcore {

using namespace std::chrono_literals;

namespace {

constexpr auto between_saves = 1min;

Guarded<std::optional<std::string>> &program() {
  const fork::Section section; // the initialisation has a lock
  static auto &identity = *new Guarded<std::optional<std::string>>;
  return identity;
}

std::string program_identity() {
  const auto named = program().with([](const auto &identity) { return identity; });
  return named ? *named : platform::executable_path().string();
}

/// Empty: no profile.
std::filesystem::path own_file() {
  const std::string identity = program_identity();
  const std::filesystem::path &folder = cache_folder();
  if (identity.empty() || folder.empty())
    return {};
  RequestKey key;
  key.text(identity).text(METALCORE_VERSION);
  // Not in the folder of one build of the driver: after an update the old one's profile is what
  // makes the new one's cache.
  return folder / "profiles" / (to_hex(sha256(key.take())) + ".json");
}

ProgramProfile::Places places() {
  const Preferences &wishes = preferences();
  if (!wishes.warmup_profile)
    return {};
  ProgramProfile::Places places{own_file(), wishes.warmup_profile_path,
                                platform::compiler_identity()};
  // A file that is to ship with an application is made by the first run that names it.
  std::error_code error;
  if (!places.shipped.empty() && !std::filesystem::exists(places.shipped, error) && !error)
    places.own = std::exchange(places.shipped, {});
  return places;
}

// All of these are leaked on purpose: a thread may use them while the process ends.
Guarded<std::optional<ProgramProfile::Places>> &known_places() {
  const fork::Section section; // the initialisation has a lock
  static auto &places = *new Guarded<std::optional<ProgramProfile::Places>>;
  return places;
}

ProgramProfile &profile() {
  const ProgramProfile::Places now = [] {
    auto &once = known_places();
    auto known = once.with([](const auto &value) { return value; });
    if (known)
      return *known;
    const ProgramProfile::Places found = places();
    return once.with([&](auto &value) { return value ? *value : *(value = found); });
  }();
  const fork::Section section; // the initialisation has a lock
  static auto &result = *new ProgramProfile(now);
  return result;
}

DelayedCall &next_save() {
  const fork::Section section;
  static auto &call = *new DelayedCall("mc-profile", between_saves, [] { profile().save(); });
  return call;
}

std::atomic<uint64_t> built = 0, failed = 0, blocked = 0;

/// What was read and is to be replayed.
Guarded<std::optional<ProgramProfile::Start>> &read_ahead() {
  const fork::Section section;
  static auto &start = *new Guarded<std::optional<ProgramProfile::Start>>;
  return start;
}

CompileOptions options_of(const LibraryRequest &library) {
  return {library.macros, library.math_mode, library.enable_logging};
}

void build(const ProfileEntry &entry) {
  const Device device = Device::default_device();
  const Library library = entry.library
                              ? device.compile(entry.library->source, options_of(*entry.library))
                              : builtin_library(device);
  build_ahead(library, entry.pipeline);
}

} // namespace

void set_program(std::string identity) {
  program().with([&](auto &current) { current = std::move(identity); });
}

std::filesystem::path warmup_profile_path() {
  return preferences().warmup_profile ? places().own : std::filesystem::path();
}

std::vector<WarmupKernel> read_warmup_profile(const std::filesystem::path &file) {
  std::string why_not;
  std::optional<Profile> profile;
  if (const auto text = read_profile_file(file, ProfileOwner::user_or_system, why_not))
    profile = parse_profile(*text, why_not);
  if (!profile)
    throw std::invalid_argument("The warm-up profile \"" + file.string() +
                                "\" cannot be used: " + why_not + '.');
  std::vector<WarmupKernel> kernels;
  for (const ProfileEntry &entry : *profile) {
    WarmupKernel kernel{entry.pipeline.kernel, entry.pipeline.constants, {}, {}, {}};
    if (entry.library) {
      kernel.source = entry.library->source;
      kernel.options = options_of(*entry.library);
    } else {
      kernel.library = builtin_library(Device::default_device());
    }
    kernels.push_back(std::move(kernel));
  }
  return kernels;
}

bool has_process_profile() {
  ProgramProfile::Start start = profile().start();
  const bool has_entries = !start.entries.empty();
  read_ahead().with([&](auto &kept) { kept = std::move(start); });
  return has_entries;
}

void replay_process_profile(const WarmupTask::StopCheck &should_stop) {
  auto read = read_ahead().with([](auto &kept) { return std::exchange(kept, std::nullopt); });
  const ProgramProfile::Start start = read ? std::move(*read) : profile().start();
  blocked = start.blocked;
  const ReplayCounts counts = replay(profile(), start.entries, compile_pool(), build, should_stop);
  built = counts.built;
  failed = counts.failed;
  if (!should_stop())
    profile().end_builds();
}

void describe_replay(WarmupReport &report) {
  report.profile_built = built;
  report.profile_failed = failed;
  report.profile_blocked = blocked;
}

void record_use(const std::shared_ptr<const LibraryRequest> &library,
                const PipelineRequest &pipeline) noexcept {
  try {
    if (profile().record(library, pipeline))
      next_save().ask();
  } catch (...) {
    // Out of memory or of threads: the profile stays as it is.
  }
}

void save_profile_at_exit() noexcept {
  try {
    next_save().cancel();
    profile().save();
  } catch (...) {
    // Out of memory.
  }
}

void end_profile() noexcept {
  try {
    profile().end_builds();
  } catch (...) {
    // Out of memory.
  }
}

} // namespace metalcore
