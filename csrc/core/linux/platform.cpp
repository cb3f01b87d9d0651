#include "core/platform.hpp"

#include "metalcore/version.hpp"
#include "support/fork.hpp"
#include "support/linux/build_id.hpp"

#include <cstdlib>

#include <dlfcn.h>
#include <sys/stat.h>
#include <sys/utsname.h>

namespace metalcore::platform {

namespace {

/// By the XDG rules: a relative path is to be ignored.
std::filesystem::path user_folder(const Environment &environment, std::string_view variable,
                                  const char *below_home) {
  const auto value = [&](std::string_view name) {
    const auto found = environment.find(name);
    return found == environment.end() ? std::filesystem::path()
                                      : std::filesystem::path(found->second);
  };
  if (const auto folder = value(variable); folder.is_absolute())
    return folder;
  if (const auto home = value("HOME"); home.is_absolute())
    return home / below_home;
  return {};
}

/// Unsets it where the value is empty; does nothing where it has the value already.
void set_variable(const char *name, const std::string &value) {
  const char *known = std::getenv(name);
  if (value.empty() && known)
    unsetenv(name);
  else if (!value.empty() && (!known || value != known))
    setenv(name, value.c_str(), /*overwrite=*/1);
}

/// Does nothing in programs that use the policy alone.
void call_metal(const char *name) {
  if (void *function = dlsym(RTLD_DEFAULT, name))
    reinterpret_cast<void (*)()>(function)();
}

std::string find_driver_build() {
  // The build of the library that Metal's first function comes from. Programs that use the policy
  // alone have none.
  const void *metal = dlsym(RTLD_DEFAULT, "MTLCreateSystemDefaultDevice");
  const auto build = metal ? build_id_of_object(metal) : std::nullopt;
  utsname system{};
  uname(&system);
  return std::string("hostmetal-") + system.machine + '-' +
         (build ? build->substr(0, 16) : METALCORE_VERSION);
}

} // namespace

std::filesystem::path user_preferences_path(const Environment &environment) {
  const auto folder = user_folder(environment, "XDG_CONFIG_HOME", ".config");
  return folder.empty() ? folder : folder / "metalcore" / "preferences.toml";
}

std::filesystem::path user_cache_folder(const Environment &environment) {
  return user_folder(environment, "XDG_CACHE_HOME", ".cache");
}

std::string driver_build() {
  const fork::Section section; // the initialisation has a lock
  static const std::string &build = *new std::string(find_driver_build()); // leaked: used at exit
  return build;
}

std::string compiler_version() {
  return "clang " METALCORE_LLVM_VERSION;
}

std::string compiler_identity() {
  // The compiler is a sibling of the library that Metal's first function comes from, and need not
  // be loaded for this. To read it would cost more than to look at it.
  std::string identity = std::string(METALCORE_VERSION) + ' ' + driver_build();
  Dl_info info{};
  const void *metal = dlsym(RTLD_DEFAULT, "MTLCreateSystemDefaultDevice");
  if (!metal || dladdr(metal, &info) == 0 || !info.dli_fname)
    return identity;
  const auto compiler =
      std::filesystem::path(info.dli_fname).parent_path() / "libhostmetal-compiler.so";
  struct stat status{};
  if (stat(compiler.c_str(), &status) == 0)
    identity += ' ' + std::to_string(status.st_size) + ' ' + std::to_string(status.st_mtim.tv_sec) +
                '.' + std::to_string(status.st_mtim.tv_nsec);
  return identity;
}

std::filesystem::path executable_path() {
  std::error_code error;
  return std::filesystem::read_symlink("/proc/self/exe", error);
}

void apply(const Preferences &preferences, const std::filesystem::path &cache_folder) {
  // hostmetal is set up by environment variables, like any Metal by its own means. The C library's
  // environment is not safe against other threads, so this happens on the thread that loads
  // metalcore, and only where something is to be changed.
  if (preferences.cpu_threads > 0)
    setenv("HOSTMETAL_CPU_THREADS", std::to_string(preferences.cpu_threads).c_str(),
           /*overwrite=*/0);
  if (preferences.compile_time_limit != Preferences().compile_time_limit)
    setenv("HOSTMETAL_COMPILE_TIME_LIMIT", std::to_string(preferences.compile_time_limit).c_str(),
           /*overwrite=*/0);
  // The parent process's choice may have been inherited: it is replaced in any case.
  set_variable("HOSTMETAL_CACHE_DIR", cache_folder.string());
  set_variable("HOSTMETAL_CACHE_MAX_SIZE",
               cache_folder.empty() ? "" : std::to_string(preferences.cache_max_size));
}

void open_compiler() {
  call_metal("hostmetal_open_compiler");
}

void warm_up_compiler() {
  call_metal("hostmetal_warm_up_compiler");
}

void check_process() {} // hostmetal starts afresh in a forked child

} // namespace metalcore::platform
