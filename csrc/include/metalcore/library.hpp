#pragma once

#include "metalcore/device.hpp"
#include "metalcore/dtype.hpp"

#include <optional>
#include <variant>

namespace metalcore {

class Pipeline;

/// Values of function constants, by name. A value converts to the constant's declared type and must
/// fit it.
using FunctionConstants = std::map<std::string, std::variant<bool, int64_t, uint64_t, double>>;

/// A function constant that a kernel depends on, as its source declares it.
struct FunctionConstant {
  std::string name;
  std::size_t index = 0;      ///< [[function_constant(n)]]
  std::string type_name;      ///< as Metal names it: "bool", "int", "float2"
  std::optional<DType> dtype; ///< of a scalar
  bool is_required = false;   ///< without a value there is no pipeline
};

struct PipelineOptions {
  FunctionConstants constants;
};

/// Compiled MSL: named kernels. Immutable, thread-safe.
class METALCORE_API Library {
public:
  struct Impl;
  explicit Library(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}

  /// Kernel names, in the order of their definition.
  std::vector<std::string> kernel_names() const;
  bool contains(std::string_view kernel) const;
  /// By index. Throws std::out_of_range for an unknown kernel.
  std::vector<FunctionConstant> function_constants(std::string_view kernel) const;
  /// The compiler's warnings; empty when there were none.
  std::string warnings() const;
  /// Builds the kernel's pipeline, or joins a build that is under way, or returns the one there is.
  /// Blocks. Throws std::out_of_range for an unknown kernel, std::invalid_argument for wrong
  /// constants, Error{pipeline}.
  Pipeline pipeline(std::string_view kernel, const PipelineOptions &options = {}) const;

  Device device() const;
  const std::shared_ptr<Impl> &impl() const { return impl_; }

private:
  std::shared_ptr<Impl> impl_;
};

/// The kernels that ship with metalcore, compiled ahead of time. Throws Error{device}.
METALCORE_API Library builtin_library(const Device &device);

} // namespace metalcore
