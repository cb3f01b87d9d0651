#pragma once

#include "support/file_descriptor.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

// The folders of DiskStore: who may use one, what lies in it, what may be removed.

namespace metalcore::disk_folder {

/// A folder, opened; or errno, or the rule that it breaks.
struct Opened {
  FileDescriptor folder;
  int error = 0;           ///< of the system; 0 where the folder breaks a rule
  std::string broken_rule; ///< "belongs to user 0 and not to user 1000"; empty where none is
};

/// Opens `path` itself, not what a link of that name leads to. It must be a folder that the user of
/// this process owns and that nobody else may write to.
Opened open(const std::filesystem::path &path);
/// The same, for an entry of a folder.
Opened open_in(int parent, const char *name);

/// Makes the folder and those above it, mode 0700, and puts a mark into it that says that a store
/// made it. False: errno says why.
bool make(const std::filesystem::path &path);

/// Notes in the mark that the folder was used; at most once a day.
void mark_as_used(int folder);

/// A file that a store wrote.
struct File {
  std::string name;
  uint64_t size = 0; ///< bytes
  int64_t used = 0;  ///< by file_time::modified
  bool is_temporary = false;
};

/// Entries and temporaries of a store, in no order; nothing else that lies there.
std::vector<File> list(int folder);

/// A name for a new temporary file; it differs from that of every other process.
std::string temporary_name();
bool is_temporary_name(std::string_view name);

/// Empties and removes the folders beside `path` that a store made and nobody used for 30 days.
/// Where one holds files of somebody else, it stays with them.
void remove_unused_siblings(const std::filesystem::path &path);

} // namespace metalcore::disk_folder
