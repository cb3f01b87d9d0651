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

/// Reads the environment's METALCORE_<NAME>, then `files`, the ones that win first. Touches nothing
/// else: the whole of the policy, for tests as well.
PreferenceReading read_preferences(const platform::Environment &environment,
                                   const std::vector<std::filesystem::path> &files);

} // namespace metalcore
