#pragma once

#include "core/platform.hpp"
#include "metalcore/preferences.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace metalcore {

/// The preferences, where each comes from, and what was wrong with their sources.
struct PreferenceReading {
  Preferences preferences;
  std::vector<PreferenceValue> values;
  std::vector<std::string> warnings;
  std::filesystem::path cache_folder; ///< what cache_folder() returns
};

/// A file to read preferences from.
struct PreferenceSource {
  std::filesystem::path path;
  bool is_users; ///< false: somebody else may have made it, so it cannot name what is executed
};

/// Reads the environment's METALCORE_<NAME>, then `files`, the ones that win first. Touches nothing
/// else: the whole of the policy, for tests as well.
PreferenceReading read_preferences(const platform::Environment &environment,
                                   const std::vector<PreferenceSource> &files);

/// Throws std::invalid_argument unless there is a preference of this name.
void check_preference_name(std::string_view name);
/// A value as a TOML file has it. Throws std::invalid_argument for an unknown name or a value that
/// the preference cannot have.
std::string preference_literal(std::string_view name, std::string_view text);

} // namespace metalcore
