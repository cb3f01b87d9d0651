#include "metalcore/preferences.hpp"

#include "core/cache_folder.hpp"
#include "core/platform.hpp"
#include "core/preferences_editor.hpp"
#include "core/preferences_reader.hpp"
#include "metalcore/error.hpp"
#include "support/disk_folder.hpp"
#include "support/fork.hpp"
#include "support/log.hpp"
#include "support/trace.hpp"

#include <atomic>
#include <stdexcept>
#include <system_error>

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

/// Where Metal may keep what it compiled. Empty where it may not, also because the folder is not to
/// be trusted: the core, which uses it too, will say that.
std::filesystem::path folder_for_metal(const PreferenceReading &reading) {
  if (!reading.preferences.cache || reading.cache_folder.empty())
    return {};
  auto folder = reading.cache_folder / platform::driver_build();
  return disk_folder::open(folder).broken_rule.empty() ? folder : std::filesystem::path();
}

PreferenceReading read() {
  const platform::Environment variables = environment();
  std::vector<PreferenceSource> files;
  std::error_code no_folder; // the current folder may have been deleted
  if (auto here = std::filesystem::current_path(no_folder); !no_folder)
    files.push_back({here / "metalcore.toml", /*is_users=*/false});
  if (auto user = platform::user_preferences_path(variables); !user.empty())
    files.push_back({std::move(user), /*is_users=*/true});
  PreferenceReading reading = read_preferences(variables, files);
  log::set_threshold(*log::level_of(reading.preferences.log_level));
  platform::apply(reading.preferences, folder_for_metal(reading));
  if (const auto file = variables.find("METALCORE_TRACE");
      file != variables.end() && !file->second.empty())
    if (auto problem = trace::start(file->second))
      reading.warnings.push_back(std::move(*problem));
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

bool edit_user_file(std::string_view name, const std::optional<std::string> &literal) {
  const std::string path = user_preferences_file();
  if (path.empty())
    throw Error(ErrorKind::unsupported,
                "There is no preferences file to write: the environment names no home folder.");
  const std::string subject = "The preferences file \"" + path + "\" cannot be changed";
  try {
    return edit_preference_file(path, name, literal);
  } catch (const std::system_error &error) {
    throw std::system_error(error.code(), subject);
  } catch (const std::invalid_argument &error) {
    throw std::invalid_argument(subject + ": " + error.what() + '.');
  }
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

std::string user_preferences_file() {
  return platform::user_preferences_path(environment()).string();
}

void set_preference(std::string_view name, std::string_view value) {
  edit_user_file(name, preference_literal(name, value));
}

bool unset_preference(std::string_view name) {
  check_preference_name(name);
  return edit_user_file(name, std::nullopt);
}

} // namespace metalcore
