#include "hostmetal/image/file.hpp"

#include <fcntl.h>
#include <sys/stat.h>

namespace hostmetal::image {

// Opening a pipe must not wait for its other end.
File::File(const std::string &path)
    : descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
  struct stat status;
  if (descriptor_ && fstat(descriptor_.get(), &status) == 0 && S_ISREG(status.st_mode)) {
    size_ = static_cast<uint64_t>(status.st_size);
    is_regular_ = true;
  }
}

bool File::read(uint64_t offset, std::span<uint8_t> bytes) const {
  return metalcore::read_fully_at(descriptor_.get(), offset, reinterpret_cast<char *>(bytes.data()),
                                  bytes.size());
}

} // namespace hostmetal::image
