#import <Metal/MTLComputePipeline.h>
#import <Metal/MTLLibrary.h>

namespace {

// The indices that [[buffer(n)]] has in MSL.
constexpr NSUInteger buffer_count = 31;

NSNumber *key(NSUInteger index) {
  if (index >= buffer_count)
    [NSException
         raise:NSRangeException
        format:@"The buffer index (%lu) is larger than the limit (%lu).",
               static_cast<unsigned long>(index), static_cast<unsigned long>(buffer_count - 1)];
  return [NSNumber numberWithUnsignedInteger:index];
}

} // namespace

@implementation MTLPipelineBufferDescriptor

@synthesize mutability = _mutability;

- (id)copyWithZone:(NSZone *)zone {
  MTLPipelineBufferDescriptor *copy = [[MTLPipelineBufferDescriptor allocWithZone:zone] init];
  [copy setMutability:_mutability];
  return copy;
}

@end

@implementation MTLPipelineBufferDescriptorArray

- (instancetype)init {
  if ((self = [super init]))
    _descriptors = [[NSMutableDictionary alloc] init];
  return self;
}

- (void)dealloc {
  [_descriptors release];
  [super dealloc];
}

- (MTLPipelineBufferDescriptor *)objectAtIndexedSubscript:(NSUInteger)bufferIndex {
  NSNumber *index = key(bufferIndex);
  MTLPipelineBufferDescriptor *descriptor = [_descriptors objectForKey:index];
  if (!descriptor) {
    descriptor = [[[MTLPipelineBufferDescriptor alloc] init] autorelease];
    [_descriptors setObject:descriptor forKey:index];
  }
  return descriptor;
}

- (void)setObject:(MTLPipelineBufferDescriptor *)buffer atIndexedSubscript:(NSUInteger)bufferIndex {
  NSNumber *index = key(bufferIndex);
  if (buffer)
    [_descriptors setObject:[[buffer copy] autorelease] forKey:index];
  else
    [_descriptors removeObjectForKey:index];
}

@end

@implementation MTLComputePipelineDescriptor

@synthesize label = _label, computeFunction = _computeFunction,
            threadGroupSizeIsMultipleOfThreadExecutionWidth =
                _threadGroupSizeIsMultipleOfThreadExecutionWidth,
            maxTotalThreadsPerThreadgroup = _maxTotalThreadsPerThreadgroup, buffers = _buffers,
            binaryArchives = _binaryArchives, maxCallStackDepth = _maxCallStackDepth;

- (instancetype)init {
  if ((self = [super init])) {
    _buffers = [[MTLPipelineBufferDescriptorArray alloc] init];
    _linkedFunctions = [[MTLLinkedFunctions alloc] init];
    _maxCallStackDepth = 1;
  }
  return self;
}

- (MTLLinkedFunctions *)linkedFunctions {
  return _linkedFunctions;
}

- (void)setLinkedFunctions:(MTLLinkedFunctions *)linkedFunctions {
  MTLLinkedFunctions *const before = _linkedFunctions;
  _linkedFunctions = linkedFunctions ? [linkedFunctions copy] : [[MTLLinkedFunctions alloc] init];
  [before release];
}

- (void)dealloc {
  [_linkedFunctions release];
  [_label release];
  [_computeFunction release];
  [_buffers release];
  [_binaryArchives release];
  [super dealloc];
}

- (id)copyWithZone:(NSZone *)zone {
  MTLComputePipelineDescriptor *copy = [[MTLComputePipelineDescriptor allocWithZone:zone] init];
  [copy setLabel:_label];
  [copy setComputeFunction:_computeFunction];
  [copy setThreadGroupSizeIsMultipleOfThreadExecutionWidth:
            _threadGroupSizeIsMultipleOfThreadExecutionWidth];
  [copy setMaxTotalThreadsPerThreadgroup:_maxTotalThreadsPerThreadgroup];
  for (NSUInteger index = 0; index < buffer_count; ++index)
    [[copy buffers] setObject:[_buffers objectAtIndexedSubscript:index] atIndexedSubscript:index];
  [copy setBinaryArchives:_binaryArchives];
  [copy setLinkedFunctions:_linkedFunctions];
  [copy setMaxCallStackDepth:_maxCallStackDepth];
  return copy;
}

- (void)reset {
  [self setLabel:nil];
  [self setComputeFunction:nil];
  [self setThreadGroupSizeIsMultipleOfThreadExecutionWidth:NO];
  [self setMaxTotalThreadsPerThreadgroup:0];
  for (NSUInteger index = 0; index < buffer_count; ++index)
    [_buffers setObject:nil atIndexedSubscript:index];
  [self setBinaryArchives:nil];
  [self setLinkedFunctions:nil];
  [self setMaxCallStackDepth:1];
}

@end
