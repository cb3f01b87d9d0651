#import "hostmetal/api/device.h"

#import "hostmetal/api/architecture.h"
#import "hostmetal/api/argument_encoder.h"
#include "hostmetal/api/background.hpp"
#import "hostmetal/api/binary_archive.h"
#import "hostmetal/api/binding.h"
#include "hostmetal/api/error.hpp"
#import "hostmetal/api/library.h"
#import "hostmetal/api/log_state.h"
#include "hostmetal/api/own_class.hpp"
#import "hostmetal/api/pipeline.h"
#import "hostmetal/api/sampler.h"
#include "hostmetal/api/text.hpp"
#import "hostmetal/api/texture.h"
#include "hostmetal/image/image.hpp"
#include "objc/attach_thread.hpp"
#include "objc/retained.hpp"
#include "support/fork.hpp"

#include <cstdlib>
#include <string_view>

using hostmetal::api::required_block;
using hostmetal::api::run_in_background;
using metalcore::objc::Retained;

namespace {

// The one device of a process needs to differ from 0 only.
constexpr uint64_t registry_id = 1;
constexpr NSUInteger default_command_buffer_count = 64;

/// Whether HOSTMETAL_DEVICE leaves a device to be found; any name but "cpu" is that of a missing
/// one.
bool is_present() {
  const char *wanted = std::getenv("HOSTMETAL_DEVICE");
  return !wanted || *wanted == '\0' || std::string_view(wanted) == "cpu";
}

/// Makes a pipeline in the background and hands it, its reflection and its error to `handler`.
template <typename Handler>
void make_pipeline_in_background(HMDevice *device, MTLComputePipelineDescriptor *descriptor,
                                 MTLPipelineOption options, Handler handler) {
  run_in_background(
      [device = Retained<HMDevice *>::retain(device),
       descriptor = Retained<MTLComputePipelineDescriptor *>::adopt([descriptor copy]), options,
       handler = std::move(handler)] {
        MTLComputePipelineReflection *reflection = nil;
        NSError *error = nil;
        const auto pipeline =
            Retained<id<MTLComputePipelineState>>::adopt(hostmetal::api::make_compute_pipeline(
                device.get(), descriptor.get(), options, &reflection, &error));
        handler(pipeline.get(), reflection, error);
      });
}

} // namespace

@implementation HMDevice

+ (HMDevice *)hm_device {
  if (!is_present())
    return nil;
  const metalcore::fork::Section section;
  static HMDevice *device = [[HMDevice alloc] init];
  return device;
}

- (instancetype)init {
  if ((self = [super init])) {
    const std::shared_ptr<hostmetal::Executor> executor = hostmetal::cpu_executor();
    _name = [hostmetal::api::to_string("hostmetal CPU (" + executor->name() + ")") copy];
    _architecture = [[MTLArchitecture alloc]
        initWithName:hostmetal::api::to_string(hostmetal::image::host_targets().front())];
    _memorySize = executor->memory_size();
  }
  return self;
}

- (void)dealloc {
  [_name release];
  [_architecture release];
  [super dealloc];
}

- (std::shared_ptr<hostmetal::Executor>)hm_executor {
  return hostmetal::cpu_executor();
}

- (void)hm_didAllocate:(NSUInteger)bytes {
  _allocatedSize.fetch_add(bytes, std::memory_order_relaxed);
}

- (void)hm_didFree:(NSUInteger)bytes {
  _allocatedSize.fetch_sub(bytes, std::memory_order_relaxed);
}

#pragma mark Identity and limits

- (NSString *)name {
  return _name;
}

- (uint64_t)registryID {
  return registry_id;
}

- (MTLArchitecture *)architecture {
  return _architecture;
}

- (MTLSize)maxThreadsPerThreadgroup {
  return MTLSizeMake(HM_MAX_THREADS_PER_THREADGROUP, HM_MAX_THREADS_PER_THREADGROUP,
                     HM_MAX_THREADS_PER_THREADGROUP);
}

- (BOOL)isLowPower {
  return NO;
}

- (BOOL)isHeadless {
  return YES;
}

- (BOOL)isRemovable {
  return NO;
}

- (BOOL)hasUnifiedMemory {
  return YES;
}

// Three quarters, as Metal leaves the rest of a shared memory to everything else.
- (uint64_t)recommendedMaxWorkingSetSize {
  return _memorySize / 4 * 3;
}

- (MTLDeviceLocation)location {
  return MTLDeviceLocationBuiltIn;
}

- (NSUInteger)locationNumber {
  return 0;
}

- (MTLArgumentBuffersTier)argumentBuffersSupport {
  return MTLArgumentBuffersTier2;
}

- (NSUInteger)currentAllocatedSize {
  return _allocatedSize.load(std::memory_order_relaxed);
}

- (NSUInteger)maxThreadgroupMemoryLength {
  return HM_MAX_THREADGROUP_MEMORY;
}

- (NSUInteger)maxBufferLength {
  return _memorySize;
}

- (MTLReadWriteTextureTier)readWriteTextureSupport {
  return MTLReadWriteTextureTier2;
}

- (BOOL)supports32BitFloatFiltering {
  return YES;
}

// The compute features of a Mac that is no Apple-silicon one: Apple's families promise textures in
// tile memory and simdgroup matrices too.
- (BOOL)supportsFamily:(MTLGPUFamily)gpuFamily {
  switch (gpuFamily) {
  case MTLGPUFamilyMac1:
  case MTLGPUFamilyMac2:
  case MTLGPUFamilyCommon1:
  case MTLGPUFamilyCommon2:
  case MTLGPUFamilyCommon3:
  case MTLGPUFamilyMetal3:
    return YES;
  default:
    return NO;
  }
}

#pragma mark Resources and queues

- (id<MTLCommandQueue>)newCommandQueue {
  return [self newCommandQueueWithMaxCommandBufferCount:default_command_buffer_count];
}

- (id<MTLCommandQueue>)newCommandQueueWithMaxCommandBufferCount:(NSUInteger)maxCommandBufferCount {
  return hostmetal::api::make_command_queue(self, maxCommandBufferCount, nil);
}

- (id<MTLCommandQueue>)newCommandQueueWithDescriptor:(MTLCommandQueueDescriptor *)descriptor {
  return descriptor ? hostmetal::api::make_command_queue(self, [descriptor maxCommandBufferCount],
                                                         [descriptor logState])
                    : nil;
}

- (id<MTLLogState>)newLogStateWithDescriptor:(MTLLogStateDescriptor *)descriptor
                                       error:(NSError **)error {
  try {
    return hostmetal::api::make_log_state(descriptor);
  } catch (const std::invalid_argument &problem) {
    hostmetal::api::set_error(error, MTLLogStateErrorDomain,
                              descriptor ? MTLLogStateErrorInvalidSize : MTLLogStateErrorInvalid,
                              problem.what());
    return nil;
  }
}

- (id<MTLBuffer>)newBufferWithLength:(NSUInteger)length options:(MTLResourceOptions)options {
  return hostmetal::api::make_buffer(self, nullptr, length, options);
}

- (id<MTLBuffer>)newBufferWithBytes:(const void *)pointer
                             length:(NSUInteger)length
                            options:(MTLResourceOptions)options {
  return pointer ? hostmetal::api::make_buffer(self, pointer, length, options) : nil;
}

- (id<MTLBuffer>)newBufferWithBytesNoCopy:(void *)pointer
                                   length:(NSUInteger)length
                                  options:(MTLResourceOptions)options
                              deallocator:(void (^)(void *pointer, NSUInteger length))deallocator {
  return hostmetal::api::make_buffer_no_copy(self, pointer, length, options, deallocator);
}

- (id<MTLTexture>)newTextureWithDescriptor:(MTLTextureDescriptor *)descriptor {
  return hostmetal::api::make_texture(self, descriptor);
}

- (NSUInteger)minimumLinearTextureAlignmentForPixelFormat:(MTLPixelFormat)format {
  (void)format;
  return hostmetal::api::linear_texture_alignment;
}

- (NSUInteger)minimumTextureBufferAlignmentForPixelFormat:(MTLPixelFormat)format {
  (void)format;
  return hostmetal::api::linear_texture_alignment;
}

- (id<MTLSamplerState>)newSamplerStateWithDescriptor:(MTLSamplerDescriptor *)descriptor {
  return hostmetal::api::make_sampler(self, descriptor);
}

- (id<MTLFence>)newFence {
  return hostmetal::api::make_fence(self);
}

- (id<MTLEvent>)newEvent {
  return hostmetal::api::make_event(self);
}

- (id<MTLSharedEvent>)newSharedEvent {
  return hostmetal::api::make_shared_event(self);
}

- (id<MTLSharedEvent>)newSharedEventWithHandle:(MTLSharedEventHandle *)sharedEventHandle {
  return sharedEventHandle ? hostmetal::api::make_shared_event(self, sharedEventHandle) : nil;
}

#pragma mark Libraries

- (id<MTLLibrary>)newDefaultLibrary {
  return [self newDefaultLibraryWithBundle:[NSBundle mainBundle] error:nullptr];
}

- (id<MTLLibrary>)newDefaultLibraryWithBundle:(NSBundle *)bundle error:(NSError **)error {
  return hostmetal::api::make_default_library(self, bundle, error);
}

- (id<MTLLibrary>)newLibraryWithFile:(NSString *)filepath error:(NSError **)error {
  return [self newLibraryWithURL:filepath ? [NSURL fileURLWithPath:filepath] : nil error:error];
}

- (id<MTLLibrary>)newLibraryWithURL:(NSURL *)url error:(NSError **)error {
  return hostmetal::api::make_library(self, url, error);
}

- (id<MTLLibrary>)newLibraryWithSource:(NSString *)source
                               options:(MTLCompileOptions *)options
                                 error:(NSError **)error {
  return hostmetal::api::make_library(self, source, options, error);
}

- (void)newLibraryWithSource:(NSString *)source
                     options:(MTLCompileOptions *)options
           completionHandler:(MTLNewLibraryCompletionHandler)completionHandler {
  run_in_background([device = Retained<HMDevice *>::retain(self),
                     source = Retained<NSString *>::adopt([source copy]),
                     options = Retained<MTLCompileOptions *>::adopt([options copy]),
                     handler = required_block(completionHandler)] {
    NSError *error = nil;
    const auto library = Retained<id<MTLLibrary>>::adopt(
        hostmetal::api::make_library(device.get(), source.get(), options.get(), &error));
    handler(library.get(), error);
  });
}

#pragma mark Pipelines

- (id<MTLComputePipelineState>)newComputePipelineStateWithFunction:(id<MTLFunction>)computeFunction
                                                             error:(NSError **)error {
  return [self newComputePipelineStateWithFunction:computeFunction
                                           options:MTLPipelineOptionNone
                                        reflection:nullptr
                                             error:error];
}

- (id<MTLComputePipelineState>)
    newComputePipelineStateWithFunction:(id<MTLFunction>)computeFunction
                                options:(MTLPipelineOption)options
                             reflection:(MTLAutoreleasedComputePipelineReflection *)reflection
                                  error:(NSError **)error {
  return [self
      newComputePipelineStateWithDescriptor:hostmetal::api::pipeline_descriptor(computeFunction)
                                    options:options
                                 reflection:reflection
                                      error:error];
}

- (void)newComputePipelineStateWithFunction:(id<MTLFunction>)computeFunction
                          completionHandler:
                              (MTLNewComputePipelineStateCompletionHandler)completionHandler {
  make_pipeline_in_background(
      self, hostmetal::api::pipeline_descriptor(computeFunction), MTLPipelineOptionNone,
      [handler = required_block(completionHandler)](id<MTLComputePipelineState> pipeline,
                                                    MTLComputePipelineReflection *,
                                                    NSError *error) { handler(pipeline, error); });
}

- (void)newComputePipelineStateWithFunction:(id<MTLFunction>)computeFunction
                                    options:(MTLPipelineOption)options
                          completionHandler:
                              (MTLNewComputePipelineStateWithReflectionCompletionHandler)
                                  completionHandler {
  [self newComputePipelineStateWithDescriptor:hostmetal::api::pipeline_descriptor(computeFunction)
                                      options:options
                            completionHandler:completionHandler];
}

- (id<MTLComputePipelineState>)
    newComputePipelineStateWithDescriptor:(MTLComputePipelineDescriptor *)descriptor
                                  options:(MTLPipelineOption)options
                               reflection:(MTLAutoreleasedComputePipelineReflection *)reflection
                                    error:(NSError **)error {
  return hostmetal::api::make_compute_pipeline(self, descriptor, options, reflection, error);
}

- (void)newComputePipelineStateWithDescriptor:(MTLComputePipelineDescriptor *)descriptor
                                      options:(MTLPipelineOption)options
                            completionHandler:
                                (MTLNewComputePipelineStateWithReflectionCompletionHandler)
                                    completionHandler {
  make_pipeline_in_background(self, descriptor, options, required_block(completionHandler));
}

- (id<MTLArgumentEncoder>)newArgumentEncoderWithArguments:
    (NSArray<MTLArgumentDescriptor *> *)arguments {
  return hostmetal::api::make_argument_encoder(self, arguments);
}

- (id<MTLArgumentEncoder>)newArgumentEncoderWithBufferBinding:(id<MTLBufferBinding>)bufferBinding {
  HMBufferBinding *const binding = hostmetal::api::own<HMBufferBinding>(bufferBinding);
  if (!binding)
    [NSException raise:NSInvalidArgumentException
                format:@"The buffer binding is nil or none of a pipeline's reflection."];
  return hostmetal::api::make_argument_encoder(self, [binding hm_argument]);
}

- (id<MTLBinaryArchive>)newBinaryArchiveWithDescriptor:(MTLBinaryArchiveDescriptor *)descriptor
                                                 error:(NSError **)error {
  return hostmetal::api::make_binary_archive(self, descriptor, error);
}

@end

// Everything starts here: from now on threads of the caller's may use Foundation side by side.
id<MTLDevice> MTLCreateSystemDefaultDevice(void) {
  metalcore::objc::attach_thread();
  return [[HMDevice hm_device] retain];
}

NSArray<id<MTLDevice>> *MTLCopyAllDevices(void) {
  metalcore::objc::attach_thread();
  HMDevice *device = [HMDevice hm_device];
  return device ? [[NSArray alloc] initWithObjects:device, nil] : [[NSArray alloc] init];
}
