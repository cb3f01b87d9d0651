#import "hostmetal/api/command_encoder.h"

#import "hostmetal/api/device.h"
#import "hostmetal/api/fence.h"
#include "hostmetal/api/own_class.hpp"

using hostmetal::api::EncoderTarget;
using hostmetal::api::Recording;
using metalcore::objc::Retained;

@implementation HMCommandEncoder

@synthesize label = label_;

- (instancetype)initWithDevice:(HMDevice *)device
                     recording:(std::shared_ptr<Recording>)recording
                          kind:(const char *)kind {
  if ((self = [super init])) {
    device_ = Retained<HMDevice *>::retain(device);
    recording_ = std::move(recording);
    kind_ = kind;
    number_ = recording_->begin_encoder(kind);
  }
  return self;
}

- (void)dealloc {
  // After commit an open encoder has been reported, and the recording belongs to other threads.
  if (!hasEnded_ && !recording_->is_sealed()) {
    recording_->end_encoder();
    recording_->fail(MTLCommandBufferErrorInvalidResource,
                     std::string("A ") + kind_ +
                         " command encoder was released before its encoding was ended.",
                     number_);
  }
  [label_ release];
  [super dealloc];
}

- (id<MTLDevice>)device {
  return device_.get();
}

- (EncoderTarget)hm_targetFor:(SEL)selector {
  if (hasEnded_ || recording_->is_sealed())
    [NSException
         raise:NSInvalidArgumentException
        format:@"-%@ was called on a %s command encoder after %@.", NSStringFromSelector(selector),
               kind_, hasEnded_ ? @"its encoding was ended" : @"its command buffer was committed"];
  return EncoderTarget{*recording_, number_};
}

- (void)endEncoding {
  const EncoderTarget target = [self hm_targetFor:_cmd];
  target.recording.encoder(target.number).label = Retained<NSString *>::retain([self label]);
  target.recording.end_encoder();
  hasEnded_ = YES;
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
  ++debugGroups_;
}

- (void)popDebugGroup {
  const EncoderTarget target = [self hm_targetFor:_cmd];
  if (debugGroups_ == 0)
    return target.fail(std::string("A debug group of a ") + kind_ +
                       " command encoder was popped but none was pushed.");
  --debugGroups_;
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
