#pragma once

#include "support/fork.hpp"
#include "support/guarded.hpp"
#include "support/sha256.hpp"

#include <atomic>
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
  /// Touches nothing but the time of the folder's mark: the folder is made by the first `store`,
  /// again and again where somebody deletes it. Null, with `why_not` set to one sentence for the
  /// user, where what is there must not be trusted: it is no folder, belongs to somebody else or is
  /// writable by others. `folder` is absolute.
  static std::shared_ptr<DiskStore> open(const std::filesystem::path &folder, uint64_t max_size,
                                         std::string &why_not);

  const std::filesystem::path &folder() const { return folder_; }

  /// What `store` was given; marks the file as used. Empty: a miss; `is_damaged`, where given, says
  /// whether something was there. `kind`: 1 to 15 lower-case letters and digits.
  std::optional<std::string> load(const Digest &key, std::string_view kind,
                                  bool *is_damaged = nullptr);
  /// False where it could not be written (full disk, read-only) or is larger than the limit:
  /// nothing is left behind.
  bool store(const Digest &key, std::string_view kind, std::string_view content);
  void remove(const Digest &key, std::string_view kind);

  /// A path for a new temporary file in the folder, for interfaces that write to a path; prune
  /// removes what is forgotten there. Empty where the folder cannot be used.
  std::filesystem::path temporary_path();
  /// What such a file holds; the file is removed. Empty unless somebody wrote it.
  std::optional<std::string> take_temporary(const std::filesystem::path &path);

  struct Pruned {
    uint64_t files = 0;
    uint64_t bytes = 0;
  };
  /// Removes temporaries older than an hour, and the least recently used files where all of them
  /// take more than the limit: some more than needed, so that it is not due again at once. Also
  /// the folders beside this one that a store made and nobody used for 30 days.
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

  /// What this process believes about the folder's size between two looks at it.
  struct Size {
    uint64_t total = 0;    ///< bytes
    uint64_t unlooked = 0; ///< bytes stored since the last look
    bool is_known = false;
    bool is_pruning = false; ///< by a thread of the process that `generation` tells
    uint64_t generation = 0;
  };

  void note_stored(uint64_t bytes);

  const std::filesystem::path folder_;
  const uint64_t max_size_;
  Guarded<Size> size_;
  std::atomic<uint64_t> hits_ = 0, misses_ = 0, damaged_ = 0, stored_ = 0, failed_stores_ = 0;
};

} // namespace metalcore
