#include "core/failure.hpp"

#include <new>
#include <stdexcept>

namespace metalcore {

Failure::Failure(ErrorKind kind, std::string message, std::string diagnostics)
    : type_(Type::error), kind_(kind), message_(std::move(message)),
      diagnostics_(std::move(diagnostics)) {}

Failure::Failure(Type type, std::string message) : type_(type), message_(std::move(message)) {}

Failure Failure::current(ErrorKind otherwise) {
  try {
    throw;
  } catch (const Error &error) {
    return {error.kind(), error.what(), error.diagnostics()};
  } catch (const std::invalid_argument &error) {
    return {Type::invalid_argument, error.what()};
  } catch (const std::out_of_range &error) {
    return {Type::out_of_range, error.what()};
  } catch (const std::bad_alloc &) {
    return {Type::bad_alloc, "The process has no memory left."};
  } catch (const std::exception &error) {
    return {otherwise, error.what()};
  } catch (...) {
    return {otherwise, "An exception of unknown type was thrown."};
  }
}

void Failure::raise() const {
  switch (type_) {
  case Type::invalid_argument:
    throw std::invalid_argument(message_);
  case Type::out_of_range:
    throw std::out_of_range(message_);
  case Type::bad_alloc:
    throw std::bad_alloc();
  case Type::error:
    break;
  }
  throw Error(kind_, message_, diagnostics_);
}

} // namespace metalcore
