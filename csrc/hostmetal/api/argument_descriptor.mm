#import <Metal/MTLDevice.h>

@implementation MTLArgumentDescriptor

@synthesize dataType = _dataType, index = _index, arrayLength = _arrayLength, access = _access,
            constantBlockAlignment = _constantBlockAlignment;

+ (MTLArgumentDescriptor *)argumentDescriptor {
  return [[[MTLArgumentDescriptor alloc] init] autorelease];
}

- (id)copyWithZone:(NSZone *)zone {
  MTLArgumentDescriptor *copy = [[MTLArgumentDescriptor allocWithZone:zone] init];
  [copy setDataType:_dataType];
  [copy setIndex:_index];
  [copy setArrayLength:_arrayLength];
  [copy setAccess:_access];
  [copy setConstantBlockAlignment:_constantBlockAlignment];
  return copy;
}

@end
