#import <Metal/MTLFunctionConstantValues.h>
#import <Metal/MTLFunctionDescriptor.h>

@implementation MTLFunctionDescriptor

@synthesize name = _name, specializedName = _specializedName, constantValues = _constantValues,
            options = _options;

+ (MTLFunctionDescriptor *)functionDescriptor {
  return [[[self alloc] init] autorelease];
}

- (void)dealloc {
  [_name release];
  [_specializedName release];
  [_constantValues release];
  [super dealloc];
}

- (id)copyWithZone:(NSZone *)zone {
  MTLFunctionDescriptor *copy = [[MTLFunctionDescriptor allocWithZone:zone] init];
  [copy setName:_name];
  [copy setSpecializedName:_specializedName];
  [copy setConstantValues:_constantValues];
  [copy setOptions:_options];
  return copy;
}

@end
