#include "hostmetal/api/error.hpp"

#include "hostmetal/api/failure.hpp"
#include "hostmetal/api/text.hpp"

#include <exception>

NSErrorDomain const MTLLibraryErrorDomain = @"MTLLibraryErrorDomain";

namespace hostmetal::api {

static_assert(static_cast<int>(Failure::Kind::unsupported) == MTLLibraryErrorUnsupported);
static_assert(static_cast<int>(Failure::Kind::internal) == MTLLibraryErrorInternal);
static_assert(static_cast<int>(Failure::Kind::compile_failure) == MTLLibraryErrorCompileFailure);
static_assert(static_cast<int>(Failure::Kind::function_not_found) ==
              MTLLibraryErrorFunctionNotFound);
static_assert(static_cast<int>(Failure::Kind::file_not_found) == MTLLibraryErrorFileNotFound);

static_assert(static_cast<int>(ArchiveFailure::Kind::invalid_file) ==
              MTLBinaryArchiveErrorInvalidFile);
static_assert(static_cast<int>(ArchiveFailure::Kind::unexpected_element) ==
              MTLBinaryArchiveErrorUnexpectedElement);
static_assert(static_cast<int>(ArchiveFailure::Kind::compilation_failure) ==
              MTLBinaryArchiveErrorCompilationFailure);
static_assert(static_cast<int>(ArchiveFailure::Kind::internal) ==
              MTLBinaryArchiveErrorInternalError);

NSError *make_error(NSErrorDomain domain, NSInteger code, const std::string &message) {
  return [NSError errorWithDomain:domain
                             code:code
                         userInfo:@{NSLocalizedDescriptionKey : to_string(message)}];
}

void set_error(NSError **error, NSErrorDomain domain, NSInteger code, const std::string &message) {
  if (error)
    *error = make_error(domain, code, message);
}

NSError *current_exception_error() {
  try {
    throw;
  } catch (const Failure &failure) {
    return make_error(MTLLibraryErrorDomain, static_cast<NSInteger>(failure.kind()),
                      failure.what());
  } catch (const ArchiveFailure &failure) {
    return make_error(MTLBinaryArchiveDomain, static_cast<NSInteger>(failure.kind()),
                      failure.what());
  } catch (const std::exception &exception) {
    return make_error(MTLLibraryErrorDomain, MTLLibraryErrorInternal, exception.what());
  }
}

} // namespace hostmetal::api
