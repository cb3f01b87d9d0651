#pragma once

#include "hostmetal/image/dynamic_section.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace hostmetal::image {

/// The code of an ELF shared object, in memory of its own. It is placed there without the system's
/// dynamic loader, which has one lock for the whole process and holds it for as long as somebody
/// opens a large library. What the linker of kernels writes is understood, and not more: no
/// constructors, no thread-local variables. Immutable; any thread.
class CodeObject {
public:
  /// Loads an object of `size` bytes. `fill` writes them, and sets `error` and returns false where
  /// it cannot. Null, with `error` set, on failure.
  /// A truncated object or one for another machine is refused, and nothing is read or written
  /// outside of it; but its code will be run, so bytes that come from a file need a checksum.
  static std::unique_ptr<const CodeObject>
  load(size_t size, const std::function<bool(std::span<uint8_t>, std::string &)> &fill,
       std::string &error);
  ~CodeObject();
  CodeObject(const CodeObject &) = delete;
  CodeObject &operator=(const CodeObject &) = delete;

  /// What the object exports under that name, or null.
  const void *symbol(std::string_view name) const;

private:
  explicit CodeObject(std::span<uint8_t> memory) : memory_(memory) {}

  std::span<uint8_t> memory_; ///< all segments, at their distances; mapped
  std::optional<DynamicSection> section_;
};

} // namespace hostmetal::image
