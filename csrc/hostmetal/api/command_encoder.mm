#import "hostmetal/api/command_encoder.h"

#import "hostmetal/api/device.h"
#import "hostmetal/api/fence.h"
#include "hostmetal/api/own_class.hpp"

using hostmetal::api::EncoderTarget;
using hostmetal::api::Recording;
using metalcore::objc::Retained;

@implementation HMCommandEncoder

@synthesize label = _label;

- (instancetype)initWithDevice:(HMDevice *)device
                     recording:(std::shared_ptr<Recording>)recording
                          kind:(const char *)kind {
  if ((self = [super init])) {
    _device = Retained<HMDevice *>::retain(device);
    _recording = std::move(recording);
    _kind = kind;
    _number = _recording->begin_encoder(kind);
  }
  return self;
}

- (void)dealloc {
  // After commit an open encoder has been reported, and the recording belongs to other threads.
  if (!_hasEnded && !_recording->is_sealed()) {
    _recording->end_encoder();
    _recording->fail(MTLCommandBufferErrorInvalidResource,
                     std::string("A ") + _kind +
                         " command encoder was released before its encoding was ended.",
                     _number);
  }
  [_label release];
  [super dealloc];
}

- (id<MTLDevice>)device {
  return _device.get();
}

- (EncoderTarget)hm_targetFor:(SEL)selector {
  if (_hasEnded || _recording->is_sealed())
    [NSException
         raise:NSInvalidArgumentException
        format:@"-%@ was called on a %s command encoder after %@.", NSStringFromSelector(selector),
               _kind, _hasEnded ? @"its encoding was ended" : @"its command buffer was committed"];
  return EncoderTarget{*_recording, _number};
}

- (void)endEncoding {
  const EncoderTarget target = [self hm_targetFor:_cmd];
  target.recording.encoder(target.number).label = Retained<NSString *>::retain([self label]);
  target.recording.end_encoder();
  _hasEnded = YES;
}

- (void)insertDebugSignpost:(NSString *)string {
  const EncoderTarget target = [self hm_targetFor:_cmd];
  if (string)
    target.recording.encoder(target.number)
        .signposts.push_back(Retained<NSString *>::adopt([string copy]));
}

- (void)pushDebugGroup:(NSString *)string {
  (void)string;
  [self hm_targetFor:_cmd];
  ++_debugGroups;
}

- (void)popDebugGroup {
  const EncoderTarget target = [self hm_targetFor:_cmd];
  if (_debugGroups == 0)
    return target.fail(std::string("A debug group of a ") + _kind +
                       " command encoder was popped but none was pushed.");
  --_debugGroups;
}

- (void)updateFence:(id<MTLFence>)fence {
  const EncoderTarget target = [self hm_targetFor:_cmd];
  if (HMFence *const own_fence = hostmetal::api::own<HMFence>(fence))
    target.recording.update_fence([own_fence hm_count]);
  else
    target.fail("The fence to update is nil or not of this device.");
}

- (void)waitForFence:(id<MTLFence>)fence {
  const EncoderTarget target = [self hm_targetFor:_cmd];
  if (HMFence *const own_fence = hostmetal::api::own<HMFence>(fence))
    target.recording.wait_for_fence([own_fence hm_count]);
  else
    target.fail("The fence to wait for is nil or not of this device.");
}

@end
