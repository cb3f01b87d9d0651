#include "core/platform.hpp"

#include "metalcore/error.hpp"
#include "support/fork.hpp"

namespace metalcore::platform {

std::filesystem::path user_preferences_path(const Environment &environment) {
  const auto home = environment.find("HOME");
  if (home == environment.end() || !std::filesystem::path(home->second).is_absolute())
    return {};
  return std::filesystem::path(home->second) / "Library" / "Application Support" / "metalcore" /
         "preferences.toml";
}

void apply(const Preferences &) {} // cpu_threads concerns Metal on the CPU only

void check_process() {
  if (fork::generation() > 0)
    throw Error(ErrorKind::device,
                "Metal cannot be used in a forked child process; start child processes with "
                "multiprocessing's start method \"spawn\".");
}

} // namespace metalcore::platform
