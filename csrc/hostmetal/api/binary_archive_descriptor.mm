#import <Metal/MTLBinaryArchive.h>

NSErrorDomain const MTLBinaryArchiveDomain = @"MTLBinaryArchiveDomain";

@implementation MTLBinaryArchiveDescriptor

@synthesize url = _url;

- (void)dealloc {
  [_url release];
  [super dealloc];
}

- (id)copyWithZone:(NSZone *)zone {
  MTLBinaryArchiveDescriptor *copy = [[MTLBinaryArchiveDescriptor allocWithZone:zone] init];
  [copy setUrl:_url];
  return copy;
}

@end
