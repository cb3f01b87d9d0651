#import <Metal/MTLLinkedFunctions.h>

@implementation MTLLinkedFunctions

@synthesize functions = _functions, binaryFunctions = _binaryFunctions, groups = _groups,
            privateFunctions = _privateFunctions;

+ (MTLLinkedFunctions *)linkedFunctions {
  return [[[MTLLinkedFunctions alloc] init] autorelease];
}

- (void)dealloc {
  [_functions release];
  [_binaryFunctions release];
  [_groups release];
  [_privateFunctions release];
  [super dealloc];
}

- (id)copyWithZone:(NSZone *)zone {
  MTLLinkedFunctions *copy = [[MTLLinkedFunctions allocWithZone:zone] init];
  [copy setFunctions:_functions];
  [copy setBinaryFunctions:_binaryFunctions];
  [copy setGroups:_groups];
  [copy setPrivateFunctions:_privateFunctions];
  return copy;
}

@end
