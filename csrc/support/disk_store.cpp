#include "support/disk_store.hpp"

#include "support/disk_entry.hpp"
#include "support/disk_folder.hpp"
#include "support/file_time.hpp"
#include "support/replace_file.hpp"

#include <algorithm>
#include <cerrno>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>

namespace metalcore {

namespace {

constexpr int64_t second = 1'000'000'000;
constexpr int64_t touch_interval = 5 * second;
constexpr int64_t temporary_age = 3600 * second;
// Clocks of file servers differ a little; what lies further ahead is from before the clock was set
// back.
constexpr int64_t clock_tolerance = 60 * second;

// A header that says more than this is not worth the memory.
constexpr uint64_t largest_file = uint64_t{1} << 30;

/// What prune leaves of a folder that is too large.
uint64_t pruned_size(uint64_t max_size) {
  return max_size - max_size / 8;
}
/// How much a process stores before it looks what others have stored.
uint64_t look_interval(uint64_t max_size) {
  return max_size / 16;
}

enum class Loaded : uint8_t { intact, missing, damaged };

/// Nothing at the name is followed or waited for: it may be a link or a pipe.
int open_file(int folder, const std::string &name) {
  return openat(folder, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
}

/// Empty unless it is a file of the user's that nobody else may write to.
std::optional<uint64_t> size_if_own(const struct stat &status) {
  if (!S_ISREG(status.st_mode) || status.st_uid != geteuid() ||
      (status.st_mode & (S_IWGRP | S_IWOTH)) != 0)
    return std::nullopt;
  return static_cast<uint64_t>(status.st_size);
}

Loaded load_from(int folder, const DiskEntry &entry, std::string &content) {
  const FileDescriptor file(open_file(folder, entry.file_name()));
  if (!file)
    return errno == ENOENT ? Loaded::missing : Loaded::damaged;
  struct stat status;
  const auto file_size = fstat(file.get(), &status) == 0 ? size_if_own(status) : std::nullopt;
  if (!file_size)
    return Loaded::damaged;
  std::string header(DiskEntry::header_size, '\0');
  if (!read_fully(file.get(), header.data(), header.size()))
    return Loaded::damaged;
  const auto size = entry.content_size(header);
  if (!size || *size > largest_file || *file_size != DiskEntry::header_size + *size)
    return Loaded::damaged;
  content.resize(*size);
  if (!read_fully(file.get(), content.data(), content.size()) ||
      !DiskEntry::matches(header, content))
    return Loaded::damaged;
  // Not at every use: a write to the disk for each read would be a poor bargain.
  const int64_t age = file_time::now() - file_time::modified(status);
  if (age > touch_interval || age < -touch_interval)
    futimens(file.get(), nullptr); // refused on a read-only disk, where nothing is evicted either
  return Loaded::intact;
}

} // namespace

std::shared_ptr<DiskStore> DiskStore::open(const std::filesystem::path &folder, uint64_t max_size,
                                           std::string &why_not) {
  const auto opened = disk_folder::open(folder);
  if (!opened.broken_rule.empty()) {
    why_not = "The folder \"" + folder.string() + "\" is not used: it " + opened.broken_rule + '.';
    return nullptr;
  }
  if (opened.folder)
    disk_folder::mark_as_used(opened.folder.get());
  return std::shared_ptr<DiskStore>(new DiskStore(folder, max_size));
}

DiskStore::DiskStore(std::filesystem::path folder, uint64_t max_size)
    : folder_(std::move(folder)), max_size_(max_size) {}

// The folder is opened for each call: a descriptor that is kept would name a folder that was
// deleted, or, in a program that closes all descriptors, a file of somebody else's.

std::optional<std::string> DiskStore::load(const Digest &key, std::string_view kind,
                                           bool *is_damaged) {
  const auto opened = disk_folder::open(folder_);
  std::string content;
  const auto outcome = opened.folder ? load_from(opened.folder.get(), DiskEntry{key, kind}, content)
                                     : Loaded::missing;
  if (is_damaged)
    *is_damaged = outcome == Loaded::damaged;
  switch (outcome) {
  case Loaded::intact:
    ++hits_;
    return content;
  case Loaded::missing:
    ++misses_;
    break;
  case Loaded::damaged: // the next store replaces it
    ++damaged_;
    break;
  }
  return std::nullopt;
}

bool DiskStore::store(const Digest &key, std::string_view kind, std::string_view content) {
  const DiskEntry entry{key, kind};
  const uint64_t size = DiskEntry::header_size + content.size();
  const auto fail = [&] { return ++failed_stores_, false; };
  if (!DiskEntry::is_kind(kind) || size > max_size_ || size > largest_file)
    return fail();
  const std::string header = entry.header(content);
  for (int attempt = 0; attempt < 2; ++attempt) {
    // Made where it is missing; once more where it is deleted meanwhile.
    auto opened = disk_folder::open(folder_);
    if (!opened.folder && opened.error == ENOENT && disk_folder::make(folder_))
      opened = disk_folder::open(folder_);
    if (!opened.folder)
      return fail();
    // Not synchronised with the disk: what a loss of power leaves fails its checksum.
    if (replace_file(opened.folder.get(), entry.file_name(), {header, content},
                     {.temporary = disk_folder::temporary_name()})) {
      ++stored_;
      note_stored(size);
      return true;
    }
    if (errno != ENOENT)
      return fail();
  }
  return fail();
}

void DiskStore::remove(const Digest &key, std::string_view kind) {
  const auto opened = disk_folder::open(folder_);
  if (opened.folder && DiskEntry::is_kind(kind))
    unlinkat(opened.folder.get(), DiskEntry{key, kind}.file_name().c_str(), 0);
}

std::filesystem::path DiskStore::temporary_path() {
  auto opened = disk_folder::open(folder_);
  if (!opened.folder && opened.error == ENOENT && disk_folder::make(folder_))
    opened = disk_folder::open(folder_);
  return opened.folder ? folder_ / disk_folder::temporary_name() : std::filesystem::path();
}

std::optional<std::string> DiskStore::take_temporary(const std::filesystem::path &path) {
  const auto opened = disk_folder::open(folder_);
  const std::string name = path.filename();
  if (!opened.folder || path.parent_path() != folder_ || !disk_folder::is_temporary_name(name))
    return std::nullopt;
  const FileDescriptor file(open_file(opened.folder.get(), name));
  struct stat status;
  const auto size = file && fstat(file.get(), &status) == 0 ? size_if_own(status) : std::nullopt;
  std::optional<std::string> content;
  if (size && *size <= largest_file) {
    content.emplace(*size, '\0');
    if (!read_fully(file.get(), content->data(), content->size()))
      content.reset();
  }
  unlinkat(opened.folder.get(), name.c_str(), 0);
  return content;
}

/// Prunes where it is time to: when this process does not know the folder's size, not any more, or
/// believes it to be above the limit.
void DiskStore::note_stored(uint64_t bytes) {
  const bool is_due = size_.with([&](Size &size) {
    size.total += bytes;
    size.unlooked += bytes;
    const bool is_running = size.is_pruning && size.generation == fork::generation();
    if (is_running ||
        (size.is_known && size.total <= max_size_ && size.unlooked <= look_interval(max_size_)))
      return false;
    size.generation = fork::generation();
    return size.is_pruning = true;
  });
  if (is_due)
    prune();
}

DiskStore::Pruned DiskStore::prune() {
  Pruned pruned;
  uint64_t total = 0;
  if (const auto opened = disk_folder::open(folder_); opened.folder) {
    const int folder = opened.folder.get();
    const auto remove = [&](const disk_folder::File &file) {
      if (unlinkat(folder, file.name.c_str(), 0) != 0)
        return false;
      ++pruned.files;
      pruned.bytes += file.size;
      return true;
    };
    const int64_t now = file_time::now();
    std::vector<disk_folder::File> files = disk_folder::list(folder);
    std::erase_if(files, [&](const disk_folder::File &file) {
      if (!file.is_temporary)
        return false;
      if (file.used < now - temporary_age || file.used > now + temporary_age)
        remove(file);
      return true;
    });
    for (disk_folder::File &file : files) {
      total += file.size;
      if (file.used > now + clock_tolerance)
        file.used = 0; // not used since the clock was set back
    }
    if (total > max_size_) {
      std::ranges::sort(files, [](const auto &a, const auto &b) {
        return a.used != b.used ? a.used < b.used : a.name < b.name;
      });
      for (const disk_folder::File &file : files) {
        if (total <= pruned_size(max_size_))
          break;
        remove(file); // gone in any case, or it cannot be removed
        total -= file.size;
      }
    }
    disk_folder::remove_unused_siblings(folder_);
  }
  size_.with([&](Size &size) { size = {total, 0, true, false, fork::generation()}; });
  return pruned;
}

DiskStore::Pruned DiskStore::clear() {
  Pruned cleared;
  if (const auto opened = disk_folder::open(folder_); opened.folder)
    for (const auto &file : disk_folder::list(opened.folder.get()))
      if (unlinkat(opened.folder.get(), file.name.c_str(), 0) == 0) {
        ++cleared.files;
        cleared.bytes += file.size;
      }
  size_.with([](Size &size) { size.is_known = false; });
  return cleared;
}

DiskStore::Stats DiskStore::stats() const {
  Stats stats;
  stats.max_size = max_size_;
  if (const auto opened = disk_folder::open(folder_); opened.folder)
    for (const auto &file : disk_folder::list(opened.folder.get()))
      if (!file.is_temporary) {
        ++stats.files;
        stats.bytes += file.size;
      }
  stats.hits = hits_;
  stats.misses = misses_;
  stats.damaged = damaged_;
  stats.stored = stored_;
  stats.failed_stores = failed_stores_;
  return stats;
}

} // namespace metalcore
