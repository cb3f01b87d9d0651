#pragma once

#import <Metal/Metal.h>

#include "hostmetal/api/library_code.hpp"

namespace hostmetal::api {

/// What the compiler is asked for; nil options are the default ones. Throws Failure for options
/// that hostmetal cannot follow.
SourceRequest source_request(NSString *source, MTLCompileOptions *options);

} // namespace hostmetal::api
