#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

namespace hostmetal::image {

/// The e_machine of ELF files for this CPU.
extern const uint16_t host_elf_machine;

struct DlClose {
  void operator()(void *handle) const;
};
/// A handle of dlopen.
using CodeObject = std::unique_ptr<void, DlClose>;

/// Maps an ELF shared object of `size` bytes that exists in no file. `fill` writes its bytes, and
/// sets `error` and returns false where it cannot. Null, with `error` set, on failure.
/// A truncated object or one for another machine is refused; apart from that, the system's loader
/// trusts the bytes, so those that come from a file need a checksum.
CodeObject load_code_object(size_t size,
                            const std::function<bool(std::span<uint8_t>, std::string &)> &fill,
                            std::string &error);

} // namespace hostmetal::image
