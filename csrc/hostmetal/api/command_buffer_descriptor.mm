#import <Metal/MTLCommandBuffer.h>
#import <Metal/MTLLogState.h>

@implementation MTLCommandBufferDescriptor

@synthesize retainedReferences = _retainedReferences;
@synthesize errorOptions = _errorOptions, logState = _logState;

- (instancetype)init {
  if ((self = [super init]))
    _retainedReferences = YES;
  return self;
}

- (void)dealloc {
  [_logState release];
  [super dealloc];
}

- (id)copyWithZone:(NSZone *)zone {
  MTLCommandBufferDescriptor *copy = [[[self class] allocWithZone:zone] init];
  [copy setRetainedReferences:_retainedReferences];
  [copy setErrorOptions:_errorOptions];
  [copy setLogState:_logState];
  return copy;
}

@end
