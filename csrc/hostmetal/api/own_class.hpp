#pragma once

#import <Foundation/Foundation.h>

namespace hostmetal::api {

/// The object as one of hostmetal's own classes; nil when it is nil or somebody else's, whose
/// insides hostmetal does not know.
template <typename T> T *own(id object) {
  return [object isKindOfClass:[T class]] ? static_cast<T *>(object) : nil;
}

} // namespace hostmetal::api
