#pragma once

#include "metalcore/device.hpp"

namespace metalcore {

/// Settings, read once, on first use, without Python. Precedence: environment METALCORE_<NAME>,
/// ./metalcore.toml, the user's preferences.toml, default. A bad value or unknown key is warned of
/// once and the default used. What is cached is executed, so the paths are never taken from
/// ./metalcore.toml: a folder that somebody else made could name them.
struct Preferences {
  enum class Warmup : uint8_t { automatic, on, off };

  Warmup warmup = Warmup::automatic;
  bool warmup_profile = true;           ///< record what was used, and replay it at the next start
  std::string warmup_profile_path;      ///< empty: the program's own profile in the cache folder
  bool cache = true;                    ///< keep pipelines on disk
  std::string cache_dir;                ///< empty: the platform's folder for caches
  uint64_t cache_max_size = 256u << 20; ///< bytes
  std::string device;                   ///< by name or index; empty: the system's default
  uint32_t cpu_threads = 0;             ///< hostmetal; 0: all allowed
  uint32_t compile_time_limit = 300;    ///< hostmetal; seconds of processor time; 0: none
  StorageMode storage_mode = StorageMode::shared;
  MathMode math_mode = MathMode::safe;
  std::string log_level = "warning"; ///< debug, info, warning, error, off
};

/// The preferences of this process; fixed after the first call. Any thread.
METALCORE_API const Preferences &preferences();

/// What a value is in TOML; preferences with several forms ("auto" or true) have one at a time.
enum class PreferenceForm : uint8_t { text, flag, number };

/// One key as text, with where its value comes from ("environment", a file's path, "default").
struct PreferenceValue {
  std::string name;
  std::string value;
  std::string source;
  PreferenceForm form = PreferenceForm::text;
};
METALCORE_API std::vector<PreferenceValue> describe_preferences();
/// The warnings that reading them gave, each one sentence that names file and line.
METALCORE_API const std::vector<std::string> &preference_warnings();

/// The user's preferences file, whether it exists or not; empty when the environment names no home.
METALCORE_API std::string user_preferences_file();
/// Writes one value, as text, into the user's file, for processes that start from now on; comments
/// and everything else in the file stay. Throws std::invalid_argument for an unknown name, a value
/// out of its limits or a file that cannot be edited safely, std::system_error when it cannot be
/// written, Error{unsupported} when the environment names no home. Any thread.
METALCORE_API void set_preference(std::string_view name, std::string_view value);
/// Takes one value out of the user's file; false when it was not there. Throws like set_preference.
METALCORE_API bool unset_preference(std::string_view name);

} // namespace metalcore
