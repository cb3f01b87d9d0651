#pragma once

#import "hostmetal/api/event.h"

/// An event that the host takes part in. Any thread.
@interface HMSharedEvent : HMEvent <MTLSharedEvent>
@end
