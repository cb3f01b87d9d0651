#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

namespace metalcore {

/// How replace_file writes.
struct Replacement {
  /// The new file's name until it is whole; made from the place's where it is empty.
  std::string temporary;
  /// Permissions, less what the process's umask takes away.
  unsigned mode = 0600;
  /// Whether the permissions of a file that is there already stay.
  bool keeps_mode = false;
  /// Whether to wait for the disk, so that a loss of power leaves the old file or the new one.
  bool is_synchronised = false;
};

/// Writes `parts`, one behind the other, beside the place and moves them there: nobody ever sees
/// half of a file. `place` counts from the folder `folder`, as in openat; AT_FDCWD serves too.
/// False: errno says why, and nothing has changed.
bool replace_file(int folder, const std::string &place,
                  std::initializer_list<std::string_view> parts, const Replacement &how = {});

/// Whether a file of this size is below the process's limit (RLIMIT_FSIZE), beyond which the system
/// would not only refuse but send a signal that ends the process. False: errno is EFBIG.
bool fits_file_limit(uint64_t bytes);

/// A part of a name that no other process and no other call has: containers share folders, so
/// process ids alone would not do.
std::string unique_name();

} // namespace metalcore
