#pragma once

#import <Metal/Metal.h>

#include "hostmetal/api/library_code.hpp"
#include "objc/retained.hpp"

#include <memory>

@class HMDevice;

/// A set of functions, from source or from an image. Immutable but for its label; any thread.
@interface HMLibrary : NSObject <MTLLibrary> {
@private
  metalcore::objc::Retained<HMDevice *> _device;
  std::shared_ptr<const hostmetal::api::LibraryCode> _code;
  NSUInteger _maxTotalThreadsPerThreadgroup;
  NSString *_label;
}

/// `maxTotalThreadsPerThreadgroup` limits every kernel; 0 for none.
- (instancetype)initWithDevice:(HMDevice *)device
                             code:(std::shared_ptr<const hostmetal::api::LibraryCode>)code
    maxTotalThreadsPerThreadgroup:(NSUInteger)maxTotalThreadsPerThreadgroup;

- (const hostmetal::api::LibraryCode &)hm_code;
- (NSUInteger)hm_maxTotalThreadsPerThreadgroup;

@end

namespace hostmetal::api {

/// Compiles; +1, or nil and `error`. With warnings both are set.
id<MTLLibrary> make_library(HMDevice *device, NSString *source, MTLCompileOptions *options,
                            NSError **error);
/// Opens an image file; +1, or nil and `error`.
id<MTLLibrary> make_library(HMDevice *device, NSURL *url, NSError **error);
/// The library called "default" among a bundle's resources; +1, or nil and `error`.
id<MTLLibrary> make_default_library(HMDevice *device, NSBundle *bundle, NSError **error);

} // namespace hostmetal::api
