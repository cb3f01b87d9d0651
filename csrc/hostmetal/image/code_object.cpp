#include "hostmetal/image/code_object.hpp"

#include "support/file_descriptor.hpp"
#include "support/replace_file.hpp"

#include <atomic>
#include <cerrno>
#include <cstring>
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>

namespace hostmetal::image {
namespace {

bool fits(uint64_t offset, uint64_t size, uint64_t limit) {
  return offset <= limit && size <= limit - offset;
}

/// A loader that maps past the end of a file gets SIGBUS, so every part that it touches is checked.
bool is_whole_shared_object(std::span<const uint8_t> bytes) {
  Elf64_Ehdr header;
  if (bytes.size() < sizeof(header))
    return false;
  std::memcpy(&header, bytes.data(), sizeof(header));
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
      header.e_ident[EI_DATA] != ELFDATA2LSB || header.e_type != ET_DYN ||
      header.e_machine != host_elf_machine || header.e_phentsize != sizeof(Elf64_Phdr))
    return false;
  if (!fits(header.e_phoff, uint64_t{header.e_phnum} * sizeof(Elf64_Phdr), bytes.size()) ||
      !fits(header.e_shoff, uint64_t{header.e_shnum} * header.e_shentsize, bytes.size()))
    return false;
  bool is_dynamic = false;
  for (size_t i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment;
    std::memcpy(&segment, bytes.data() + header.e_phoff + i * sizeof(segment), sizeof(segment));
    if (!fits(segment.p_offset, segment.p_filesz, bytes.size()))
      return false;
    is_dynamic |= segment.p_type == PT_DYNAMIC;
  }
  return is_dynamic;
}

/// A path of the descriptor that no earlier call returned. The loader takes a path that it has seen
/// for the object that it loaded from there, and numbers of descriptors come again.
std::string unique_path(int descriptor) {
  static std::atomic<uint64_t> counter{0};
  std::string path = "/proc/self/fd";
  for (uint64_t bits = ++counter; bits != 0; bits >>= 1)
    path += (bits & 1) ? "/." : "/";
  return path + "/" + std::to_string(descriptor);
}

std::string system_error(const char *action) {
  return std::string(action) + " failed: " + std::strerror(errno) + ".";
}

} // namespace

void DlClose::operator()(void *handle) const {
  dlclose(handle);
}

CodeObject load_code_object(size_t size,
                            const std::function<bool(std::span<uint8_t>, std::string &)> &fill,
                            std::string &error) {
  if (size < sizeof(Elf64_Ehdr)) {
    error = "it holds no whole ELF shared object for this machine.";
    return nullptr;
  }
  const metalcore::FileDescriptor file(memfd_create("hostmetal-kernels", MFD_CLOEXEC));
  if (!file || !metalcore::fits_file_limit(size) ||
      fallocate(file.get(), 0, 0, static_cast<off_t>(size)) != 0) {
    error = system_error("Creating memory for its code");
    return nullptr;
  }
  void *mapping = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
  if (mapping == MAP_FAILED) {
    error = system_error("Mapping memory for its code");
    return nullptr;
  }
  const std::span<uint8_t> bytes(static_cast<uint8_t *>(mapping), size);
  bool usable = fill(bytes, error);
  if (usable && !is_whole_shared_object(bytes)) {
    error = "it holds no whole ELF shared object for this machine.";
    usable = false;
  }
  munmap(mapping, size);
  if (!usable)
    return nullptr;
  CodeObject object(dlopen(unique_path(file.get()).c_str(), RTLD_NOW | RTLD_LOCAL));
  if (!object) {
    const char *reason = dlerror();
    error = std::string("loading its code failed: ") + (reason ? reason : "no reason given") + ".";
  }
  return object;
}

} // namespace hostmetal::image
