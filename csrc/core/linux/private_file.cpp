#include "core/private_file.hpp"

#include "support/replace_file.hpp"

#include <sys/mman.h>

namespace metalcore {

std::unique_ptr<PrivateFile> PrivateFile::holding(std::string_view bytes) {
  FileDescriptor file(memfd_create("metalcore", MFD_CLOEXEC));
  if (!file || !fits_file_limit(bytes.size()) ||
      !write_fully(file.get(), bytes.data(), bytes.size()))
    return nullptr;
  std::string path = "/proc/self/fd/" + std::to_string(file.get());
  return std::unique_ptr<PrivateFile>(new PrivateFile(std::move(file), std::move(path)));
}

PrivateFile::~PrivateFile() = default; // it has no name to remove

} // namespace metalcore
