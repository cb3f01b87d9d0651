#pragma once

#include "metalcore/error.hpp"

#include <string>

namespace metalcore {

/// An exception as a value, for several threads to raise: each gets an exception object of its own.
class Failure {
public:
  /// A failure that raises Error.
  Failure(ErrorKind kind, std::string message, std::string diagnostics = {});

  /// The exception that is being handled. Error, std::invalid_argument, std::out_of_range and
  /// std::bad_alloc keep their type; any other becomes Error of kind `otherwise`.
  static Failure current(ErrorKind otherwise);

  [[noreturn]] void raise() const;
  const std::string &message() const { return message_; }

private:
  enum class Type : uint8_t { error, invalid_argument, out_of_range, bad_alloc };
  Failure(Type type, std::string message);

  Type type_;
  ErrorKind kind_ = ErrorKind::unsupported; ///< of an Error
  std::string message_;
  std::string diagnostics_;
};

} // namespace metalcore
