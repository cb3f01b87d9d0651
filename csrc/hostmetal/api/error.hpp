#pragma once

#import <Metal/Metal.h>

#include <string>
#include <type_traits>

namespace hostmetal::api {

/// An autoreleased error whose description is `message`, which is UTF-8.
NSError *make_error(NSErrorDomain domain, NSInteger code, const std::string &message);
/// Stores make_error(…) where `error` points, if anywhere.
void set_error(NSError **error, NSErrorDomain domain, NSInteger code, const std::string &message);
/// The error for the exception that is being handled; only within a `catch`. Autoreleased.
NSError *current_exception_error();

/// Calls `make` and returns its result; nil or NO, and `error`, if it throws.
template <typename Make> auto or_error(NSError **error, Make &&make) -> std::invoke_result_t<Make> {
  try {
    return make();
  } catch (...) {
    NSError *caught = current_exception_error();
    if (error)
      *error = caught;
    return {};
  }
}

} // namespace hostmetal::api
