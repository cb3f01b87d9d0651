#import <Metal/MTLLogState.h>

@implementation MTLLogStateDescriptor

@synthesize level = _level, bufferSize = _bufferSize;

- (instancetype)init {
  if ((self = [super init])) {
    _level = MTLLogLevelDebug;
    _bufferSize = 1 << 20;
  }
  return self;
}

- (id)copyWithZone:(NSZone *)zone {
  MTLLogStateDescriptor *copy = [[[self class] allocWithZone:zone] init];
  [copy setLevel:_level];
  [copy setBufferSize:_bufferSize];
  return copy;
}

@end
