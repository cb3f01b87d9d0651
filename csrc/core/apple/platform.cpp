#include "core/platform.hpp"

#include "metalcore/error.hpp"
#include "metalcore/version.hpp"
#include "support/fork.hpp"

#include <mach-o/dyld.h>
#include <sys/sysctl.h>

namespace metalcore::platform {

namespace {

/// "unknown" where the system does not say, or not in a form that a folder's name may have.
std::string system_value(const char *name) {
  char text[64];
  std::size_t size = sizeof text;
  if (sysctlbyname(name, text, &size, nullptr, 0) != 0 || size < 2)
    return "unknown";
  const std::string value(text, size - 1); // without the zero at its end
  return value.find('/') == std::string::npos ? value : "unknown";
}

} // namespace

std::filesystem::path user_preferences_path(const Environment &environment) {
  const auto home = environment.find("HOME");
  if (home == environment.end() || !std::filesystem::path(home->second).is_absolute())
    return {};
  return std::filesystem::path(home->second) / "Library" / "Application Support" / "metalcore" /
         "preferences.toml";
}

std::filesystem::path user_cache_folder(const Environment &environment) {
  const auto home = environment.find("HOME");
  if (home == environment.end() || !std::filesystem::path(home->second).is_absolute())
    return {};
  return std::filesystem::path(home->second) / "Library" / "Caches";
}

std::string driver_build() {
  // The model tells the processor with its GPU; Metal is part of the system.
  const fork::Section section; // the initialisation has a lock
  static const std::string &build =
      *new std::string(system_value("hw.model") + '-' + system_value("kern.osversion"));
  return build;
}

std::string compiler_version() {
  return "Metal of macOS " + system_value("kern.osversion");
}

std::string compiler_identity() {
  return std::string(METALCORE_VERSION) + ' ' + driver_build();
}

std::filesystem::path executable_path() {
  std::string path(4096, '\0');
  auto size = static_cast<uint32_t>(path.size());
  return _NSGetExecutablePath(path.data(), &size) == 0 ? std::filesystem::path(path.c_str())
                                                       : std::filesystem::path();
}

// cpu_threads and compile_time_limit concern Metal on the CPU only, and the system's Metal has
// caches of its own.
void apply(const Preferences &, const std::filesystem::path &) {}

void open_compiler() {} // it is a process of the system's, which runs

void warm_up_compiler() {}

void check_process() {
  if (fork::generation() > 0)
    throw Error(ErrorKind::device,
                "Metal cannot be used in a forked child process; start child processes with "
                "multiprocessing's start method \"spawn\".");
}

} // namespace metalcore::platform
