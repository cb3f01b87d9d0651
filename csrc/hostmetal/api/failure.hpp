#pragma once

#include <stdexcept>

namespace hostmetal::api {

/// Why a library, a function or a pipeline could not be made; becomes an NSError at the API's edge.
class Failure : public std::runtime_error {
public:
  /// Values are those of MTLLibraryError.
  enum class Kind {
    unsupported = 1,
    internal = 2,
    compile_failure = 3,
    function_not_found = 5,
    file_not_found = 6,
  };

  /// `message` is one full sentence, or the compiler's diagnostics.
  Failure(Kind kind, const std::string &message) : std::runtime_error(message), kind_(kind) {}

  Kind kind() const { return kind_; }

private:
  Kind kind_;
};

/// Why a binary archive could not be opened, filled or written; becomes an NSError at the API's
/// edge.
class ArchiveFailure : public std::runtime_error {
public:
  /// Values are those of MTLBinaryArchiveError.
  enum class Kind {
    invalid_file = 1,
    unexpected_element = 2,
    compilation_failure = 3,
    internal = 4,
  };

  /// `message` is one full sentence, or the compiler's diagnostics.
  ArchiveFailure(Kind kind, const std::string &message)
      : std::runtime_error(message), kind_(kind) {}

  Kind kind() const { return kind_; }

private:
  Kind kind_;
};

} // namespace hostmetal::api
