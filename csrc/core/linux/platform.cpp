#include "core/platform.hpp"

#include <cstdlib>

namespace metalcore::platform {

std::filesystem::path user_preferences_path(const Environment &environment) {
  const auto value = [&](std::string_view name) {
    const auto found = environment.find(name);
    return found == environment.end() ? std::filesystem::path()
                                      : std::filesystem::path(found->second);
  };
  // The XDG rules: a relative path is to be ignored.
  if (const auto config = value("XDG_CONFIG_HOME"); config.is_absolute())
    return config / "metalcore" / "preferences.toml";
  if (const auto home = value("HOME"); home.is_absolute())
    return home / ".config" / "metalcore" / "preferences.toml";
  return {};
}

void apply(const Preferences &preferences) {
  // hostmetal is set up by environment variables, like any Metal by its own means. The C library's
  // environment is not safe against other threads, so this happens only when it is asked for, and
  // on the thread that loads metalcore.
  if (preferences.cpu_threads > 0)
    setenv("HOSTMETAL_CPU_THREADS", std::to_string(preferences.cpu_threads).c_str(),
           /*overwrite=*/0);
}

void check_process() {} // hostmetal starts afresh in a forked child

} // namespace metalcore::platform
