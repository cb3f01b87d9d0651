#pragma once

#import <Metal/MTLArgument.h>

#include "hostmetal/image/reflection.hpp"

@interface MTLPointerType (HostMetal)

/// The type of a buffer argument. Immutable.
- (instancetype)initWithArgument:(const hostmetal::image::Argument &)argument;

@end

namespace hostmetal::api {

MTLBindingAccess binding_access(image::Access access);

} // namespace hostmetal::api
