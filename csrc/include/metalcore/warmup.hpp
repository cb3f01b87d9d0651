#pragma once

#include "metalcore/library.hpp"

#include <chrono>

namespace metalcore {

// Linking or loading this library starts no thread and opens no device. A program has a warm-up if
// it calls start_warmup or warmup. `import metalcore` calls start_warmup, unless the environment
// variable METALCORE_NO_AUTOSTART is set (to anything but "0"): a program that embeds Python then
// decides when. The preference `warmup` is the user's word on the same matter; either can keep it
// from starting by itself, and neither keeps warmup() from doing so.

enum class WarmupState : uint8_t { disabled, skipped, running, done, failed, cancelled };

struct WarmupStage {
  std::string name;   ///< "device", "library", "profile", "compiler"
  double seconds = 0; ///< so far, where the stage is still running
  bool done = false;
};

struct WarmupReport {
  WarmupState state = WarmupState::disabled;
  std::string reason; ///< why it is disabled, skipped, failed or cancelled; empty otherwise
  std::vector<WarmupStage> stages; ///< those begun, in order
  double cpu_seconds = 0;          ///< of the warm-up thread and the compile threads
  uint64_t pipelines_built = 0;    ///< in this process, by anybody
  uint64_t cache_hits = 0;         ///< of the pipeline cache
  uint64_t cache_misses = 0;
  uint64_t profile_built = 0;   ///< pipelines that were replayed
  uint64_t profile_failed = 0;  ///< that could not be built
  uint64_t profile_blocked = 0; ///< that were not tried, because they failed or crashed before
  uint64_t kernels_wanted = 0;  ///< of build_kernels, by anybody
  uint64_t kernels_done = 0;    ///< of those, built or failed
};

/// Names the program whose warm-up profile is replayed and recorded: any text that is the same at
/// its next start. Empty: none. Not called: the path of the executable. Counts before the first
/// start_warmup, warmup or pipeline.
METALCORE_API void set_program(std::string identity);
/// The file in which this program's profile is kept; empty when none is.
METALCORE_API std::filesystem::path warmup_profile_path();

/// Starts the warm-up once, if preferences, environment and the number of CPUs allow. Never blocks,
/// never throws.
METALCORE_API void start_warmup() noexcept;

/// A kernel to be built ahead of its first use: of a library, or of source.
struct WarmupKernel {
  std::string name;
  FunctionConstants constants;
  std::optional<Library> library; ///< unset: `source` is compiled for the default device
  std::string source;
  CompileOptions options; ///< of the source
};

/// Kernels that are being built, several at once, by threads of low priority. Handles share one
/// object; every call is thread-safe.
class METALCORE_API KernelBuilds {
public:
  struct Impl;
  explicit KernelBuilds(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}

  /// Waits until every kernel was built or has failed; false when `timeout` was over first.
  bool wait(std::optional<std::chrono::nanoseconds> timeout = {}) const;
  std::size_t wanted() const;
  std::size_t done() const;
  /// One sentence for each kernel that has failed so far, in the order of the request.
  std::vector<std::string> failures() const;
  /// Throws what the first of the kernels that failed threw: see Device::compile and
  /// Library::pipeline.
  void check() const;

private:
  std::shared_ptr<Impl> impl_;
};

/// Begins to build kernels, with or without a warm-up. Returns at once.
METALCORE_API KernelBuilds build_kernels(std::vector<WarmupKernel> kernels);
/// The kernels that a warm-up profile names, whether or not they failed before. Throws
/// std::invalid_argument for a file that cannot be used.
METALCORE_API std::vector<WarmupKernel> read_warmup_profile(const std::filesystem::path &file);

struct WarmupOptions {
  bool blocking = true;
  std::optional<std::chrono::nanoseconds> timeout; ///< how long to block at the most
  std::vector<WarmupKernel> kernels = {};          ///< to be built as well
};
/// Starts the warm-up if nothing did (whatever the preferences say), and waits for its end and that
/// of `kernels`. Throws as KernelBuilds::check does, once all of them have ended; not where it does
/// not wait that long.
METALCORE_API WarmupReport warmup(const WarmupOptions &options = {});
/// Blocks until the warm-up changed since `seen` stages were done, ended, or `timeout` passed;
/// returns the state then.
METALCORE_API WarmupReport wait_for_warmup(std::size_t seen, std::chrono::nanoseconds timeout);
METALCORE_API WarmupReport warmup_status();
/// Saves the profile, asks the warm-up to stop and joins its threads; bounded by the steps under
/// way and by half a second. For the end of the process.
METALCORE_API void shutdown() noexcept;

} // namespace metalcore
