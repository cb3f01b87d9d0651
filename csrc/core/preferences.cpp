#include "metalcore/preferences.hpp"

#include "core/cache_folder.hpp"
#include "core/platform.hpp"
#include "core/preferences_reader.hpp"
#include "support/fork.hpp"
#include "support/log.hpp"

#include <atomic>

#include <unistd.h>

extern char **environ; // POSIX has it declared by the program

namespace metalcore {

namespace {

platform::Environment environment() {
  platform::Environment values;
  for (char **entry = environ; entry && *entry; ++entry) {
    const std::string_view text = *entry;
    if (const auto equals = text.find('='); equals != std::string_view::npos)
      values.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return values;
}

PreferenceReading read() {
  const platform::Environment variables = environment();
  std::vector<std::filesystem::path> files;
  std::error_code no_folder; // the current folder may have been deleted
  if (auto here = std::filesystem::current_path(no_folder); !no_folder)
    files.push_back(here / "metalcore.toml");
  if (auto user = platform::user_preferences_path(variables); !user.empty())
    files.push_back(std::move(user));
  PreferenceReading reading = read_preferences(variables, files);
  log::set_threshold(*log::level_of(reading.preferences.log_level));
  const bool has_cache = reading.preferences.cache && !reading.cache_folder.empty();
  platform::apply(reading.preferences, has_cache ? reading.cache_folder / platform::driver_build()
                                                 : std::filesystem::path());
  return reading;
}

// Leaked on purpose: a thread may ask while the process ends.
const PreferenceReading &reading() {
  static std::atomic<bool> is_logged = false;
  const PreferenceReading &result = []() -> const PreferenceReading & {
    const fork::Section section; // the initialisation has a lock
    static const PreferenceReading &once = *new PreferenceReading(read());
    return once;
  }();
  if (!is_logged.exchange(true))
    for (const std::string &warning : result.warnings)
      log::warning(warning);
  return result;
}

} // namespace

const Preferences &preferences() {
  return reading().preferences;
}

std::vector<PreferenceValue> describe_preferences() {
  return reading().values;
}

const std::vector<std::string> &preference_warnings() {
  return reading().warnings;
}

const std::filesystem::path &cache_folder() {
  return reading().cache_folder;
}

} // namespace metalcore
