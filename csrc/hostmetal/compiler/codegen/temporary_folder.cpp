#include "hostmetal/compiler/codegen/temporary_folder.hpp"

#include <llvm/Support/FileSystem.h>
#include <llvm/Support/Path.h>
#include <llvm/Support/raw_ostream.h>

using namespace llvm;

namespace hostmetal::codegen {

Expected<TemporaryFolder> TemporaryFolder::make() {
  SmallString<128> path;
  if (std::error_code error = sys::fs::createUniqueDirectory("hostmetal", path))
    return createStringError(error, "A temporary folder cannot be made: " + error.message());
  return TemporaryFolder(path.str().str());
}

TemporaryFolder::~TemporaryFolder() {
  if (!path_.empty())
    sys::fs::remove_directories(path_);
}

std::string TemporaryFolder::file(StringRef name) const {
  SmallString<128> path(path_);
  sys::path::append(path, name);
  return path.str().str();
}

Error TemporaryFolder::write(const std::string &path, StringRef bytes) {
  std::error_code error;
  raw_fd_ostream out(path, error);
  if (!error) {
    out << bytes;
    out.close();
    error = out.error();
  }
  if (!error)
    return Error::success();
  out.clear_error();
  return createStringError(error, "The temporary file \"" + path +
                                      "\" cannot be written: " + error.message());
}

} // namespace hostmetal::codegen
