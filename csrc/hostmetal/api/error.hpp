#pragma once

#import <Metal/Metal.h>

#include <stdexcept>
#include <string>

namespace hostmetal::api {

/// An autoreleased error whose description is `message`, which is UTF-8.
NSError *make_error(NSErrorDomain domain, NSInteger code, const std::string &message);
/// Stores make_error(…) where `error` points, if anywhere.
void set_error(NSError **error, NSErrorDomain domain, NSInteger code, const std::string &message);

} // namespace hostmetal::api
