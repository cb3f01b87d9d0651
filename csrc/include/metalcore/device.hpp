#pragma once

#include "metalcore/export.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace metalcore {

class Buffer;
class Event;
class Library;
class Queue;

enum class StorageMode : uint8_t { shared, private_ };
enum class MathMode : uint8_t { safe, relaxed, fast };

struct CompileOptions {
  std::map<std::string, std::string> macros;
  std::optional<MathMode> math_mode; ///< unset: the preference `math_mode`
  /// The functions of <metal_logging> write to this process's log; else they do nothing. Throws
  /// Error{unsupported} before macOS 15.
  bool enable_logging = false;
  /// Texts for #include, by name; what is not here, the compiler must have.
  std::map<std::string, std::string> headers = {};
};

/// A Metal device. Handles share one object; every call is thread-safe.
class METALCORE_API Device {
public:
  struct Impl;
  explicit Device(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}

  /// The device that the preference `device` names, or the system's default. Opened once per
  /// process, on first call. Throws Error{device} when there is none or, on Apple's Metal, in a
  /// forked child.
  static Device default_device();
  /// Every device, the default first; empty when there is none.
  static std::vector<Device> all();

  std::string name() const;
  uint64_t registry_id() const;
  bool has_unified_memory() const;
  std::size_t max_buffer_length() const;             ///< bytes
  std::size_t max_threadgroup_memory_length() const; ///< bytes
  std::size_t max_threads_per_threadgroup() const;
  std::size_t current_allocated_size() const;           ///< bytes
  std::size_t recommended_max_working_set_size() const; ///< bytes

  /// `length` bytes, zero-filled where `mode` is shared. Length 0 is allowed. Throws Error{memory}.
  Buffer make_buffer(std::size_t length, StorageMode mode = StorageMode::shared) const;
  /// Makes host memory visible to kernels without a copy; `release` runs once, when no work uses it
  /// any more. `data` and `length` must be multiples of the page size: std::invalid_argument
  /// otherwise.
  Buffer wrap(void *data, std::size_t length, std::function<void()> release) const;
  /// Compiles MSL source. Blocks; one compile per distinct request, however many threads ask.
  /// Throws Error{compile}.
  Library compile(std::string_view source, const CompileOptions &options = {}) const;
  /// Opens an ahead-of-time compiled library (.metallib). Throws Error{compile}.
  Library load_library(const std::filesystem::path &path) const;
  Queue make_queue() const;
  Event make_event() const;

  bool operator==(const Device &other) const { return impl_ == other.impl_; }
  const std::shared_ptr<Impl> &impl() const { return impl_; }

private:
  std::shared_ptr<Impl> impl_;
};

} // namespace metalcore
