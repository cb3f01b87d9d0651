#pragma once

#include "support/sha256.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace metalcore {

/// A folder of checked files that many processes share: one file per key, `<key>.<kind>`. Nobody
/// else may own the folder or write to it, because what it holds is executed. A file has a header
/// with its kind, key, length and checksum and is checked as a whole before anything of it is used;
/// whatever is wrong with one is a miss. Files are written beside their place and renamed. The
/// least recently used go when the folder outgrows its limit. Foreign files stay. Any thread.
class DiskStore {
public:
  /// Opens the folder, making it (mode 0700) where there is none. Null, with `why_not` set to one
  /// sentence, where it cannot be used or must not be trusted.
  static std::shared_ptr<DiskStore> open(const std::filesystem::path &folder, uint64_t max_size,
                                         std::string &why_not);

  const std::filesystem::path &folder() const { return folder_; }

  /// What `store` was given; marks the file as used. Empty: a miss.
  std::optional<std::string> load(const Digest &key, std::string_view kind);
  /// False where it could not be written (full disk, read-only): nothing is left behind.
  bool store(const Digest &key, std::string_view kind, std::string_view content);
  void remove(const Digest &key, std::string_view kind);

  struct Pruned {
    uint64_t files = 0;
    uint64_t bytes = 0;
  };
  /// Removes the least recently used files beyond the limit, and temporaries older than an hour.
  Pruned prune();
  /// Removes every file of the store.
  Pruned clear();

  struct Stats {
    uint64_t files = 0;    ///< in the folder, of the store
    uint64_t bytes = 0;    ///< that they take
    uint64_t max_size = 0; ///< bytes
    uint64_t hits = 0;     ///< of this process, like all that follow
    uint64_t misses = 0;   ///< nothing was there
    uint64_t damaged = 0;  ///< misses because of what was there
    uint64_t stored = 0;
    uint64_t failed_stores = 0;
  };
  Stats stats() const;

private:
  DiskStore(std::filesystem::path folder, uint64_t max_size);

  const std::filesystem::path folder_;
  const uint64_t max_size_;
};

} // namespace metalcore
