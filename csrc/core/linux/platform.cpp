#include "core/platform.hpp"

#include "metalcore/version.hpp"
#include "support/sha256.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
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

/// The linker's identification of the object that an address lies in.
struct BuildId {
  uintptr_t address;
  std::string digits; ///< hexadecimal; empty until it is found
};

/// Looks for the note "GNU", type NT_GNU_BUILD_ID, in a segment of notes.
std::string find_build_id(const char *notes, std::size_t size) {
  constexpr auto padded = [](std::size_t length) { return (length + 3) / 4 * 4; };
  while (size >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) note;
    std::memcpy(&note, notes, sizeof note);
    const std::size_t whole = sizeof note + padded(note.n_namesz) + padded(note.n_descsz);
    if (whole > size)
      break;
    const char *name = notes + sizeof note;
    if (note.n_type == NT_GNU_BUILD_ID && std::string_view(name, note.n_namesz) ==
                                              std::string_view(ELF_NOTE_GNU, sizeof ELF_NOTE_GNU))
      return to_hex(
          {reinterpret_cast<const uint8_t *>(name + padded(note.n_namesz)), note.n_descsz});
    notes += whole;
    size -= whole;
  }
  return {};
}

int visit_object(dl_phdr_info *object, std::size_t, void *wanted) {
  auto &build = *static_cast<BuildId *>(wanted);
  const auto segments = std::span(object->dlpi_phdr, object->dlpi_phnum);
  const bool is_it = std::ranges::any_of(segments, [&](const ElfW(Phdr) & segment) {
    const uintptr_t begin = object->dlpi_addr + segment.p_vaddr;
    return segment.p_type == PT_LOAD && build.address >= begin &&
           build.address - begin < segment.p_memsz;
  });
  if (!is_it)
    return 0;
  for (const ElfW(Phdr) & segment : segments)
    if (segment.p_type == PT_NOTE && build.digits.empty())
      build.digits = find_build_id(
          reinterpret_cast<const char *>(object->dlpi_addr + segment.p_vaddr), segment.p_memsz);
  return 1;
}

std::string find_driver_build() {
  // The build of the library that Metal's first function comes from. Programs that use the policy
  // alone have none.
  BuildId build{reinterpret_cast<uintptr_t>(dlsym(RTLD_DEFAULT, "MTLCreateSystemDefaultDevice")),
                {}};
  if (build.address != 0)
    dl_iterate_phdr(visit_object, &build);
  utsname system{};
  uname(&system);
  return std::string("hostmetal-") + system.machine + '-' +
         (build.digits.empty() ? METALCORE_VERSION : build.digits.substr(0, 16));
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
  // The parent process's choice may have been inherited: it is replaced in any case.
  set_variable("HOSTMETAL_CACHE_DIR", cache_folder.string());
  set_variable("HOSTMETAL_CACHE_MAX_SIZE",
               cache_folder.empty() ? "" : std::to_string(preferences.cache_max_size));
}

void check_process() {} // hostmetal starts afresh in a forked child

} // namespace metalcore::platform
