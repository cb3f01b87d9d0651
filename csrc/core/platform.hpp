#pragma once

#include "metalcore/preferences.hpp"

#include <filesystem>
#include <map>
#include <string>

// What differs between the systems that Metal runs on; one source file per system.

namespace metalcore::platform {

using Environment = std::map<std::string, std::string, std::less<>>;

/// The user's preferences file; empty when the environment names no home.
std::filesystem::path user_preferences_path(const Environment &environment);

/// Hands over to Metal what it wants to know before its device is opened. Called once, before this
/// library starts a thread.
void apply(const Preferences &preferences);

/// Throws Error{device} where Metal cannot be used in this process because it was forked.
void check_process();

} // namespace metalcore::platform
