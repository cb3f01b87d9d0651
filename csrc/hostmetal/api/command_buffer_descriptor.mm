#import <Metal/MTLCommandBuffer.h>

@implementation MTLCommandBufferDescriptor

@synthesize retainedReferences = _retainedReferences;
@synthesize errorOptions = _errorOptions;

- (instancetype)init {
  if ((self = [super init]))
    _retainedReferences = YES;
  return self;
}

- (id)copyWithZone:(NSZone *)zone {
  MTLCommandBufferDescriptor *copy = [[[self class] allocWithZone:zone] init];
  [copy setRetainedReferences:_retainedReferences];
  [copy setErrorOptions:_errorOptions];
  return copy;
}

@end
