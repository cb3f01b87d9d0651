#pragma once

#include "support/file_descriptor.hpp"

#include <memory>
#include <string>
#include <string_view>

namespace metalcore {

/// Bytes as a file that nobody else can change, for interfaces that take a path. Gone with the
/// object.
class PrivateFile {
public:
  /// Null where the system gives no room.
  static std::unique_ptr<PrivateFile> holding(std::string_view bytes);
  ~PrivateFile();

  const std::string &path() const { return path_; }

private:
  PrivateFile(FileDescriptor file, std::string path)
      : file_(std::move(file)), path_(std::move(path)) {}

  const FileDescriptor file_;
  const std::string path_;
};

} // namespace metalcore
