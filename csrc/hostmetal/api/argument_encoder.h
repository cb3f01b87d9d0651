#pragma once

#import <Metal/Metal.h>

#include "hostmetal/api/argument_layout.hpp"
#include "objc/retained.hpp"

#include <memory>

@class HMBuffer;
@class HMDevice;

/// Writes addresses into argument buffers. Like Metal's it keeps nothing of what it writes alive;
/// one thread at a time.
@interface HMArgumentEncoder : NSObject <MTLArgumentEncoder> {
@private
  metalcore::objc::Retained<HMDevice *> _device;
  std::shared_ptr<const hostmetal::api::ArgumentLayout> _layout;
  metalcore::objc::Retained<HMBuffer *> _buffer;
  uint8_t *_start; // of the argument buffer; null for none
  NSString *_label;
}

- (instancetype)initWithDevice:(HMDevice *)device
                        layout:(std::shared_ptr<const hostmetal::api::ArgumentLayout>)layout;

@end

namespace hostmetal::api {

/// +1; nil for arguments that cannot lie in one argument buffer.
id<MTLArgumentEncoder> make_argument_encoder(HMDevice *device,
                                             NSArray<MTLArgumentDescriptor *> *arguments);
/// +1. Raises an exception for an argument that is no argument buffer.
id<MTLArgumentEncoder> make_argument_encoder(HMDevice *device, const image::Argument &argument);

} // namespace hostmetal::api
