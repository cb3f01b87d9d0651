#pragma once

#include "metalcore/dtype.hpp"
#include "metalcore/library.hpp"

namespace metalcore {

enum class ArgumentKind : uint8_t { buffer, threadgroup_memory };
enum class Access : uint8_t { read_only, read_write, write_only };

/// One argument that a launch binds, as reflected from the compiled kernel.
struct Argument {
  std::string name;
  ArgumentKind kind = ArgumentKind::buffer;
  Access access = Access::read_only;
  std::size_t index = 0;        ///< [[buffer(n)]] or [[threadgroup(n)]]
  std::string type_name;        ///< of the pointee, as Metal names it: "float", "float4", "struct"
  std::optional<DType> dtype;   ///< element type of a scalar or vector pointee
  std::size_t vector_width = 1; ///< 4 for float4
  std::size_t type_size = 0;    ///< bytes of one pointee
  std::size_t type_alignment = 1;
  bool is_reference = false; ///< one value (`constant T &x`), not an array
  bool is_used = true;
};

/// A kernel ready to launch. Immutable, thread-safe.
class METALCORE_API Pipeline {
public:
  struct Impl;
  explicit Pipeline(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}

  const std::string &name() const;
  /// In the order of the kernel's parameter list, buffers and threadgroup memory.
  const std::vector<Argument> &arguments() const;
  std::size_t max_total_threads_per_threadgroup() const;
  std::size_t thread_execution_width() const;
  std::size_t static_threadgroup_memory_length() const; ///< bytes

  Device device() const;
  const std::shared_ptr<Impl> &impl() const { return impl_; }

private:
  std::shared_ptr<Impl> impl_;
};

} // namespace metalcore
