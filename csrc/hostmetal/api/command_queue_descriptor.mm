#import <Metal/MTLCommandQueue.h>
#import <Metal/MTLLogState.h>

@implementation MTLCommandQueueDescriptor

@synthesize maxCommandBufferCount = _maxCommandBufferCount, logState = _logState;

- (instancetype)init {
  if ((self = [super init]))
    _maxCommandBufferCount = 64;
  return self;
}

- (void)dealloc {
  [_logState release];
  [super dealloc];
}

- (id)copyWithZone:(NSZone *)zone {
  MTLCommandQueueDescriptor *copy = [[[self class] allocWithZone:zone] init];
  [copy setMaxCommandBufferCount:_maxCommandBufferCount];
  [copy setLogState:_logState];
  return copy;
}

@end
