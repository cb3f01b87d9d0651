#pragma once

#import <Metal/Metal.h>

#include "hostmetal/executor/executor.hpp"
#include "objc/retained.hpp"

#include <memory>

@class HMDevice;

/// An event of the executor's. Any thread.
@interface HMEvent : NSObject <MTLEvent> {
@private
  metalcore::objc::Retained<HMDevice *> _device;
  std::shared_ptr<hostmetal::Event> _event;
  NSString *_label;
}

- (instancetype)initWithDevice:(HMDevice *)device event:(std::shared_ptr<hostmetal::Event>)event;

- (const std::shared_ptr<hostmetal::Event> &)hm_event;

@end
