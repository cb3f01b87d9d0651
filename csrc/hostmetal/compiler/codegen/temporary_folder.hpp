#pragma once

#include <llvm/ADT/SmallString.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/Support/Error.h>

#include <string>

namespace hostmetal::codegen {

/// A new folder that only this user may enter; removed with all in it by the destructor.
class TemporaryFolder {
public:
  static llvm::Expected<TemporaryFolder> make();
  ~TemporaryFolder();
  TemporaryFolder(TemporaryFolder &&other) : path_(std::move(other.path_)) { other.path_.clear(); }
  TemporaryFolder &operator=(TemporaryFolder &&) = delete;

  /// The path of a file of that name in the folder.
  std::string file(llvm::StringRef name) const;
  static llvm::Error write(const std::string &path, llvm::StringRef bytes);

private:
  explicit TemporaryFolder(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

} // namespace hostmetal::codegen
