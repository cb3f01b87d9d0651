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

/// The user's folder for caches; empty when the environment names no home.
std::filesystem::path user_cache_folder(const Environment &environment);

/// A name, fit for a folder, that tells this Metal from one of another version or for another kind
/// of machine; known without opening a device. The same at each call. Any thread.
std::string driver_build();

/// What compiles kernels, for people. Any thread.
std::string compiler_version();

/// A text that changes when the compiler, or what lowers its results, does. Any thread.
std::string compiler_identity();

/// The program's file; empty when the system does not say.
std::filesystem::path executable_path();

/// Hands over to Metal what it wants to know before its device is opened. `cache_folder`: where it
/// may keep what it compiled; empty: nowhere. Called once, before this library starts a thread.
void apply(const Preferences &preferences, const std::filesystem::path &cache_folder);

/// Opens what compiles kernels, where that takes long; a failure shows at the first compile. Needs
/// no device; any thread.
void open_compiler();

/// Lets it do what the first compile would have to do but for the front end, which that compile is
/// in by then. Needs no device; any thread.
void warm_up_compiler();

/// Throws Error{device} where Metal cannot be used in this process because it was forked.
void check_process();

} // namespace metalcore::platform
