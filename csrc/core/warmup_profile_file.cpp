#include "core/warmup_profile_file.hpp"

#include "support/file_descriptor.hpp"
#include "support/fork.hpp"
#include "support/replace_file.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace metalcore {

using namespace std::chrono_literals;

namespace {

constexpr std::size_t largest_file = 16u << 20;
constexpr auto longest_wait = 100ms;
constexpr std::size_t key_length = 64;
constexpr std::size_t most_places = 256;
constexpr std::string_view mark_suffix = ".replay";

int open_folder(const std::filesystem::path &folder) {
  return open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

/// Whether nobody but `owner` can have changed it.
bool is_trusted(int descriptor, ProfileOwner owner, const char *what, std::string &why_not) {
  struct stat status{};
  if (fstat(descriptor, &status) != 0)
    why_not = std::strerror(errno);
  else if (status.st_uid != geteuid() &&
           !(owner == ProfileOwner::user_or_system && status.st_uid == 0))
    why_not = std::string(what) + " belongs to another user";
  else if ((status.st_mode & (S_IWGRP | S_IWOTH)) != 0)
    why_not = std::string(what) + " can be written by others";
  else
    return true;
  return false;
}

/// The whole file. Empty where it is larger than `most` bytes or cannot be read.
std::optional<std::string> read_all(int descriptor, std::size_t most) {
  struct stat status{};
  if (fstat(descriptor, &status) != 0 || static_cast<uint64_t>(status.st_size) > most)
    return std::nullopt;
  std::string text(static_cast<std::size_t>(status.st_size), '\0');
  return read_fully(descriptor, text.data(), text.size()) ? std::optional(std::move(text))
                                                          : std::nullopt;
}

bool is_key(std::string_view text) {
  return text.size() == key_length && text.find_first_not_of("0123456789abcdef") == text.npos;
}

} // namespace

std::optional<std::string> read_profile_file(const std::filesystem::path &path, ProfileOwner owner,
                                             std::string &why_not) {
  const FileDescriptor folder(open_folder(path.parent_path()));
  // Not blocking: the name may be that of a pipe.
  const FileDescriptor file(folder ? openat(folder.get(), path.filename().c_str(),
                                            O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
                                   : -1);
  struct stat status{};
  if (!file || fstat(file.get(), &status) != 0) {
    why_not = std::strerror(errno);
    return std::nullopt;
  }
  if (!S_ISREG(status.st_mode)) {
    why_not = "it is not a regular file";
    return std::nullopt;
  }
  if (!is_trusted(folder.get(), owner, "its folder", why_not) ||
      !is_trusted(file.get(), owner, "it", why_not))
    return std::nullopt;
  if (status.st_size > static_cast<off_t>(largest_file)) {
    why_not = "it is larger than " + std::to_string(largest_file) + " bytes";
    return std::nullopt;
  }
  auto text = read_all(file.get(), largest_file);
  if (!text)
    why_not = "it cannot be read";
  return text;
}

bool make_profile_folder(const std::filesystem::path &folder) {
  if (folder.empty())
    return false;
  std::error_code error;
  if (std::filesystem::is_directory(folder, error))
    return true;
  if (folder.has_parent_path() && folder.parent_path() != folder &&
      !make_profile_folder(folder.parent_path()))
    return false;
  return mkdir(folder.c_str(), 0700) == 0 || errno == EEXIST;
}

bool write_profile_file(const std::filesystem::path &path, std::string_view text,
                        std::string &why_not) {
  if (!make_profile_folder(path.parent_path())) {
    why_not = "its folder cannot be made: " + std::string(std::strerror(errno));
    return false;
  }
  const FileDescriptor folder(open_folder(path.parent_path()));
  if (!folder) {
    why_not = std::strerror(errno);
    return false;
  }
  if (!is_trusted(folder.get(), ProfileOwner::user, "its folder", why_not))
    return false;
  // A crash of the machine may leave an empty file, which counts as none: no need to wait for the
  // disk.
  if (replace_file(folder.get(), path.filename(), {text}))
    return true;
  why_not = std::strerror(errno);
  return false;
}

FolderLock::FolderLock(const std::filesystem::path &folder) : folder_(open_folder(folder)) {
  const auto deadline = std::chrono::steady_clock::now() + longest_wait;
  while (folder_ && flock(folder_.get(), LOCK_EX | LOCK_NB) != 0 &&
         (errno == EWOULDBLOCK || errno == EINTR)) {
    if (std::chrono::steady_clock::now() >= deadline) {
      is_held_ = false;
      return;
    }
    std::this_thread::sleep_for(1ms);
  }
}

FolderLock::~FolderLock() {
  if (folder_ && is_held_)
    flock(folder_.get(), LOCK_UN); // a forked child may have a copy of the descriptor
}

std::set<std::string> BuildMarks::left_behind(const std::filesystem::path &profile,
                                              bool is_locked) {
  std::set<std::string> keys;
  const std::string prefix = profile.filename().string() + '.';
  const FileDescriptor folder(open_folder(profile.parent_path()));
  std::error_code error;
  for (std::filesystem::directory_iterator entry(profile.parent_path(), error), end;
       folder && !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename();
    if (!name.starts_with(prefix) || !name.ends_with(mark_suffix))
      continue;
    const FileDescriptor file(
        openat(folder.get(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    std::string why_not;
    if (!file || !is_trusted(file.get(), ProfileOwner::user, "it", why_not) ||
        flock(file.get(), LOCK_EX | LOCK_NB) != 0)
      continue; // somebody else's, or of a process that lives
    const auto marks = read_all(file.get(), most_places * key_length);
    for (std::size_t i = 0; marks && i + key_length <= marks->size(); i += key_length)
      if (std::string key = marks->substr(i, key_length); is_key(key))
        keys.insert(std::move(key));
    if (is_locked)
      unlinkat(folder.get(), name.c_str(), 0);
  }
  return keys;
}

std::unique_ptr<BuildMarks> BuildMarks::make(const std::filesystem::path &profile) {
  const std::filesystem::path path =
      profile.string() + '.' + unique_name() + std::string(mark_suffix);
  // Marks are small, but the limit may be as well.
  FileDescriptor file(
      fits_file_limit(most_places * key_length)
          ? open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600)
          : -1);
  if (!file)
    return nullptr;
  flock(file.get(), LOCK_EX | LOCK_NB);
  return std::unique_ptr<BuildMarks>(new BuildMarks(std::move(file), path));
}

BuildMarks::BuildMarks(FileDescriptor file, std::filesystem::path path)
    : file_(std::move(file)), path_(std::move(path)), generation_(fork::generation()) {}

BuildMarks::~BuildMarks() {
  remove();
}

void BuildMarks::remove() {
  if (generation_ == fork::generation()) // else it is the parent's
    unlink(path_.c_str());
}

std::size_t BuildMarks::begin(const std::string &key) {
  const std::size_t place = taken_.with([](std::vector<bool> &taken) {
    const auto free = std::ranges::find(taken, false);
    const auto index = static_cast<std::size_t>(free - taken.begin());
    if (free == taken.end())
      taken.push_back(true);
    else
      *free = true;
    return index;
  });
  // Reaches the system's memory, and so outlives the process. Where it fails, nothing is marked.
  if (place < most_places) [[maybe_unused]]
    const auto written =
        pwrite(file_.get(), key.data(), key_length, static_cast<off_t>(place * key_length));
  return place;
}

void BuildMarks::end(std::size_t place) {
  static constexpr char nothing[key_length] = {};
  if (place < most_places) [[maybe_unused]]
    const auto written =
        pwrite(file_.get(), nothing, key_length, static_cast<off_t>(place * key_length));
  taken_.with([place](std::vector<bool> &taken) { taken[place] = false; });
}

} // namespace metalcore
