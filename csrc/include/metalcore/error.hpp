#pragma once

#include "metalcore/export.hpp"

#include <stdexcept>
#include <string>
#include <utility>

namespace metalcore {

enum class ErrorKind {
  device,      ///< no device, or it was lost
  compile,     ///< MSL source was refused; diagnostics hold file:line:column
  pipeline,    ///< a compute pipeline could not be made
  launch,      ///< a kernel was launched wrongly, or failed while it ran
  memory,      ///< out of memory
  unsupported, ///< this device or this build cannot do it
};

/// What fails at run time. Wrong arguments are std::invalid_argument and std::out_of_range instead.
class METALCORE_API Error : public std::runtime_error {
public:
  Error(ErrorKind kind, const std::string &message, std::string diagnostics = {})
      : std::runtime_error(message), kind_(kind), diagnostics_(std::move(diagnostics)) {}

  ErrorKind kind() const noexcept { return kind_; }
  /// The compiler's own text; empty for other kinds.
  const std::string &diagnostics() const noexcept { return diagnostics_; }

private:
  ErrorKind kind_;
  std::string diagnostics_;
};

} // namespace metalcore
