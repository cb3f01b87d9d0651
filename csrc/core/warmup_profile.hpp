#pragma once

#include "core/pipeline_cache.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace metalcore {

/// A pipeline that a program used, and how to build it again.
struct ProfileEntry {
  std::shared_ptr<const LibraryRequest> library; ///< null: the built-in kernels
  PipelineRequest pipeline;
  /// The compiler under which its build failed, or the process ended; empty: it can be built.
  std::string blocked_by = {};
  uint32_t runs_unused = 0; ///< the last runs of the program that did without it

  /// 64 hexadecimal digits: two entries have the same key only if they ask for the same.
  std::string key() const;
};

/// The pipelines of a program, in the order of their first use.
using Profile = std::vector<ProfileEntry>;

// What a profile may hold. The first entries are those that a start waits for.
constexpr std::size_t most_profile_entries = 512;
constexpr std::size_t most_profile_source = 4u << 20; ///< bytes of source, each library once
constexpr uint32_t most_runs_unused = 10;

/// What one run of a program adds to its profile.
struct ProfileRun {
  Profile used;              ///< in the order of first use
  Profile failed;            ///< whose replay failed, or ended a process
  std::string compiler;      ///< the identity of the compiler of this run
  bool is_first_save = true; ///< later ones do not count as one more run
};

/// What the file has, plus what a run did: its entries first, then the others, without those that
/// were not used for long. Within the bounds.
Profile merged(const Profile &stored, const ProfileRun &run);

/// `entries` as far as the bounds allow, each key once.
Profile bounded(Profile entries);

/// JSON, the same for the same profile.
std::string profile_text(const Profile &profile);

/// Reads what profile_text wrote, or what ships with an application. Empty, with `why_not` set to
/// the end of a sentence, for anything else. Never throws but std::bad_alloc.
std::optional<Profile> parse_profile(std::string_view text, std::string &why_not);

} // namespace metalcore
