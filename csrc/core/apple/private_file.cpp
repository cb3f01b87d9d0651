#include "core/private_file.hpp"

#include "support/replace_file.hpp"

#include <climits>
#include <cstdlib>

#include <unistd.h>

namespace metalcore {

std::unique_ptr<PrivateFile> PrivateFile::holding(std::string_view bytes) {
  // The user's own, which no other user can write to; the environment could name any.
  if (!fits_file_limit(bytes.size()))
    return nullptr;
  char folder[PATH_MAX];
  const std::size_t size = confstr(_CS_DARWIN_USER_TEMP_DIR, folder, sizeof folder);
  if (size == 0 || size > sizeof folder)
    return nullptr;
  std::string path = std::string(folder) + "metalcore-XXXXXX";
  FileDescriptor file(mkstemp(path.data()));
  if (!file)
    return nullptr;
  std::unique_ptr<PrivateFile> made(new PrivateFile(std::move(file), std::move(path)));
  return write_fully(made->file_.get(), bytes.data(), bytes.size()) ? std::move(made) : nullptr;
}

PrivateFile::~PrivateFile() {
  unlink(path_.c_str());
}

} // namespace metalcore
