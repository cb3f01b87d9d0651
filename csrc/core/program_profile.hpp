#pragma once

#include "core/warmup_profile.hpp"
#include "core/warmup_profile_file.hpp"
#include "support/guarded.hpp"

#include <filesystem>
#include <functional>
#include <unordered_set>

namespace metalcore {

/// How the build of one entry went.
enum class ProfileBuild : uint8_t {
  built,
  failed,
  no_library, ///< nor can any other entry of the same library be built
  no_device,  ///< which is no fault of the entry
};

/// The profile of one program: what its start replays, and what this run adds. Thread-safe.
class ProgramProfile {
public:
  struct Places {
    std::filesystem::path own;     ///< read and written; empty: neither
    std::filesystem::path shipped; ///< read only; empty: none
    std::string compiler;          ///< the identity of the compiler
  };
  explicit ProgramProfile(Places places) : places_(std::move(places)) {}

  struct Start {
    Profile entries;         ///< to be built, the first used first
    std::size_t blocked = 0; ///< entries that are not tried again
  };
  /// Reads the files. What cannot be used is left out, with a message.
  Start start();

  /// Calls `work`, which builds the entry or throws, with a note on disk that it does: if that ends
  /// the process, the next start leaves the entry out.
  ProfileBuild build(const ProfileEntry &entry, const std::function<void()> &work);
  /// A failure that is known without a trial.
  void note_failure(const ProfileEntry &entry);
  /// Nothing of it is being built any more, or only while the process ends.
  void end_builds();

  /// The program uses a pipeline; `library` is null for the built-in kernels. True when that is
  /// news.
  bool record(const std::shared_ptr<const LibraryRequest> &library,
              const PipelineRequest &pipeline);
  /// Adds what is new to the file, beside what other runs added meanwhile. False, and the file
  /// stays as it is, when another process kept it locked too long.
  bool save();

private:
  struct State {
    ProfileRun run;
    std::unordered_set<std::string> recorded; ///< keys of requests
    std::shared_ptr<BuildMarks> marks;
    bool is_changed = false; ///< since the last save
  };

  Profile read(const std::filesystem::path &path, ProfileOwner owner, bool must_exist) const;
  void write(const Profile &profile) const;

  const Places places_;
  Guarded<State> state_;
};

} // namespace metalcore
