#include "support/disk_folder.hpp"

#include "support/disk_entry.hpp"
#include "support/file_time.hpp"
#include "support/replace_file.hpp"

#include <cerrno>
#include <cstdio>
#include <memory>
#include <string_view>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

namespace metalcore::disk_folder {

namespace {

constexpr const char *mark = ".metalcore-cache";
constexpr std::string_view temporary_prefix = ".new-";

constexpr int64_t day = 24 * 3600 * int64_t{1'000'000'000};
constexpr int64_t longest_disuse = 30 * day;

constexpr int open_flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

/// How far apart two times are; a clock that was moved back makes the past look like the future.
int64_t distance(int64_t one, int64_t other) {
  return one > other ? one - other : other - one;
}

Opened check(FileDescriptor folder) {
  if (!folder) {
    if (errno == ENOTDIR || errno == ELOOP)
      return {FileDescriptor(), 0, "is not a folder"};
    return {FileDescriptor(), errno, ""};
  }
  struct stat status;
  if (fstat(folder.get(), &status) != 0)
    return {FileDescriptor(), errno, ""};
  if (status.st_uid != geteuid())
    return {FileDescriptor(), 0,
            "belongs to user " + std::to_string(status.st_uid) + " and not to user " +
                std::to_string(geteuid())};
  if ((status.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
    char mode[8];
    std::snprintf(mode, sizeof mode, "%04o", static_cast<unsigned>(status.st_mode & 07777));
    return {FileDescriptor(), 0, std::string("is writable by other users (mode ") + mode + ')'};
  }
  return {std::move(folder), 0, ""};
}

struct CloseFolder {
  void operator()(DIR *folder) const { closedir(folder); }
};

/// Calls `visit` with the name of each entry but "." and "..".
template <typename Visit> void for_each_name(int folder, Visit visit) {
  // A descriptor of its own: reading moves a position that duplicates would share.
  FileDescriptor own(openat(folder, ".", open_flags));
  const std::unique_ptr<DIR, CloseFolder> entries(own ? fdopendir(own.get()) : nullptr);
  if (!entries)
    return;
  own.release(); // closedir closes it
  while (const dirent *entry = readdir(entries.get())) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..")
      visit(entry->d_name);
  }
}

void remove_if_unused(int parent, const char *name) {
  const Opened sibling = open_in(parent, name);
  if (!sibling.folder)
    return;
  const int folder = sibling.folder.get();
  struct stat status;
  // Without the mark no store made it. A mark from the future is one from before the clock was
  // moved back: it is given its month from the next use of that folder on.
  if (fstatat(folder, mark, &status, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(status.st_mode) ||
      file_time::now() - file_time::modified(status) < longest_disuse)
    return;
  for (const File &file : list(folder))
    unlinkat(folder, file.name.c_str(), 0);
  unlinkat(folder, mark, 0);
  unlinkat(parent, name, AT_REMOVEDIR); // fails where something of somebody else's is left
}

} // namespace

Opened open(const std::filesystem::path &path) {
  return check(FileDescriptor(::open(path.c_str(), open_flags)));
}

Opened open_in(int parent, const char *name) {
  return check(FileDescriptor(openat(parent, name, open_flags)));
}

bool make(const std::filesystem::path &path) {
  std::filesystem::path above;
  for (const auto &part : path) {
    above /= part;
    if (mkdir(above.c_str(), S_IRWXU) != 0 && errno != EEXIST) {
      // What is there already may lie where nothing can be made, such as "/" or a mount point.
      struct stat status;
      const int error = errno;
      if (stat(above.c_str(), &status) != 0 || !S_ISDIR(status.st_mode))
        return errno = error, false;
    }
  }
  const Opened opened = open(path);
  if (opened.folder)
    mark_as_used(opened.folder.get());
  return true;
}

void mark_as_used(int folder) {
  struct stat status;
  if (fstatat(folder, mark, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
      distance(file_time::modified(status), file_time::now()) < day)
    return;
  const FileDescriptor file(
      openat(folder, mark, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, S_IRUSR | S_IWUSR));
  if (file)
    futimens(file.get(), nullptr);
}

std::vector<File> list(int folder) {
  std::vector<File> files;
  for_each_name(folder, [&](const char *name) {
    const bool is_temporary = is_temporary_name(name);
    struct stat status;
    if ((is_temporary || DiskEntry::is_file_name(name)) &&
        fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0 && !S_ISDIR(status.st_mode))
      files.push_back(
          {name, static_cast<uint64_t>(status.st_size), file_time::modified(status), is_temporary});
  });
  return files;
}

std::string temporary_name() {
  return std::string(temporary_prefix) + unique_name();
}

bool is_temporary_name(std::string_view name) {
  return name.starts_with(temporary_prefix) && name.find('/') == std::string_view::npos;
}

void remove_unused_siblings(const std::filesystem::path &path) {
  const Opened parent = open(path.parent_path());
  if (!parent.folder)
    return;
  const std::string own = path.filename();
  for_each_name(parent.folder.get(), [&](const char *name) {
    if (name != own)
      remove_if_unused(parent.folder.get(), name);
  });
}

} // namespace metalcore::disk_folder
