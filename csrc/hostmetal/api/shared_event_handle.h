#pragma once

#import <Metal/MTLEvent.h>

#include "hostmetal/executor/executor.hpp"

#include <memory>

/// What hostmetal puts into a handle. Immutable; any thread.
@interface MTLSharedEventHandle (HostMetal)

- (instancetype)initWithExecutorEvent:(const std::shared_ptr<hostmetal::Event> &)event
                                label:(NSString *)label;
/// Null of a handle that no event made.
- (std::shared_ptr<hostmetal::Event>)hm_event;

@end
