#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "support/file_descriptor.hpp"
#include "support/guarded.hpp"

// Profiles cause compiles, so nobody else may have a say in them.

namespace metalcore {

/// Who may have written a file, and own its folder: the user alone, or the system too.
enum class ProfileOwner : uint8_t { user, user_or_system };

/// A file's content. Empty, with `why_not` set to the end of a sentence, where there is none, it is
/// too large, or somebody else could have written it.
std::optional<std::string> read_profile_file(const std::filesystem::path &path, ProfileOwner owner,
                                             std::string &why_not);

/// Writes a file (mode 0600) beside its place and renames it. Makes the folder (mode 0700) where
/// there is none. False, with `why_not` set, where that fails; nothing is left behind.
bool write_profile_file(const std::filesystem::path &path, std::string_view text,
                        std::string &why_not);

/// Makes a folder (mode 0700), and those above it, where there is none. False where that fails.
bool make_profile_folder(const std::filesystem::path &folder);

/// Keeps other processes from changing what is in a folder; nothing where there is none. Waits a
/// short while at the most. On a file system without locks the last one to write wins.
class FolderLock {
public:
  explicit FolderLock(const std::filesystem::path &folder);
  ~FolderLock();
  FolderLock(const FolderLock &) = delete;
  FolderLock &operator=(const FolderLock &) = delete;

  /// False when another process kept it too long.
  bool is_held() const { return is_held_; }

private:
  FileDescriptor folder_;
  bool is_held_ = true; ///< also of a folder that does not exist
};

/// Notes in a file what is being built, so that the next start of the program knows what ended this
/// process, if something does. Thread-safe. The file goes with the object.
class BuildMarks {
public:
  /// Keys that processes which are gone left behind beside `profile`. Their files are removed if
  /// the caller has the folder locked, and so can note what they say.
  static std::set<std::string> left_behind(const std::filesystem::path &profile, bool is_locked);

  /// Null where no file can be made. Called with the folder locked.
  static std::unique_ptr<BuildMarks> make(const std::filesystem::path &profile);
  ~BuildMarks();
  BuildMarks(const BuildMarks &) = delete;
  BuildMarks &operator=(const BuildMarks &) = delete;

  /// Marks `key` (64 digits) as being built; returns its place.
  std::size_t begin(const std::string &key);
  void end(std::size_t place);
  /// Removes the file ahead of the object: whatever ends the process from here on is no build.
  void remove();

private:
  BuildMarks(FileDescriptor file, std::filesystem::path path);

  const FileDescriptor file_; ///< locked as long as the process lives
  const std::filesystem::path path_;
  const uint64_t generation_;
  Guarded<std::vector<bool>> taken_;
};

} // namespace metalcore
