#pragma once

#import <Metal/Metal.h>

#include "hostmetal/api/recording.hpp"

#include <memory>

@class HMDevice;

namespace hostmetal::api {

/// Where an encoder's commands go, and its number there.
struct EncoderTarget {
  Recording &recording;
  size_t number;

  /// Reports a misuse by this encoder.
  void fail(std::string message) const {
    recording.fail(MTLCommandBufferErrorInvalidResource, std::move(message), number);
  }
};

} // namespace hostmetal::api

/// What all encoders have in common. One thread at a time.
@interface HMCommandEncoder : NSObject <MTLCommandEncoder> {
@private
  metalcore::objc::Retained<HMDevice *> _device;
  std::shared_ptr<hostmetal::api::Recording> _recording;
  const char *_kind;
  size_t _number;
  BOOL _hasEnded;
  NSUInteger _debugGroups;
  NSString *_label;
}

/// `kind` as messages name it: "compute", "blit".
- (instancetype)initWithDevice:(HMDevice *)device
                     recording:(std::shared_ptr<hostmetal::api::Recording>)recording
                          kind:(const char *)kind;

/// Raises when the encoder has ended or its command buffer was committed.
- (hostmetal::api::EncoderTarget)hm_targetFor:(SEL)selector;

- (void)updateFence:(id<MTLFence>)fence;
- (void)waitForFence:(id<MTLFence>)fence;

@end
