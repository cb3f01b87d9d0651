#import "hostmetal/api/architecture.h"

@implementation MTLArchitecture

@synthesize name = _name;

- (instancetype)initWithName:(NSString *)name {
  if ((self = [super init]))
    _name = [name copy];
  return self;
}

- (void)dealloc {
  [_name release];
  [super dealloc];
}

- (id)copyWithZone:(NSZone *)zone {
  (void)zone;
  return [self retain];
}

@end
