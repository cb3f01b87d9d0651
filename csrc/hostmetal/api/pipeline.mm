#import "hostmetal/api/pipeline.h"

#import "hostmetal/api/binary_archive.h"
#import "hostmetal/api/device.h"
#include "hostmetal/api/error.hpp"
#include "hostmetal/api/failure.hpp"
#import "hostmetal/api/function.h"
#import "hostmetal/api/function_table.h"
#include "hostmetal/api/own_class.hpp"
#import "hostmetal/api/reflection.h"
#include "hostmetal/api/text.hpp"

#include <algorithm>

using hostmetal::api::Failure;
using hostmetal::api::LibraryCode;
using hostmetal::api::LinkedFunction;
using hostmetal::api::LinkedFunctions;
using metalcore::objc::Retained;

namespace {

void require_runnable(const hostmetal::image::Kernel &kernel) {
  if (kernel.static_threadgroup_memory > HM_MAX_THREADGROUP_MEMORY)
    throw Failure(Failure::Kind::unsupported,
                  "Threadgroup memory of kernel \"" + kernel.name + "\" (" +
                      std::to_string(kernel.static_threadgroup_memory) +
                      " bytes) is larger than the limit (" +
                      std::to_string(HM_MAX_THREADGROUP_MEMORY) + " bytes).");
}

/// The smallest of the limits that were set.
NSUInteger thread_limit(const hostmetal::image::Kernel &kernel, NSUInteger library,
                        NSUInteger descriptor) {
  NSUInteger limit = std::min<NSUInteger>(kernel.max_total_threads_per_threadgroup,
                                          HM_MAX_THREADS_PER_THREADGROUP);
  for (const NSUInteger asked : {library, descriptor}) {
    if (asked > HM_MAX_THREADS_PER_THREADGROUP)
      throw Failure(Failure::Kind::unsupported, "maxTotalThreadsPerThreadgroup (" +
                                                    std::to_string(asked) +
                                                    ") is larger than the limit (" +
                                                    std::to_string(HM_MAX_THREADS_PER_THREADGROUP) +
                                                    ") of kernel \"" + kernel.name + "\".");
    if (asked > 0)
      limit = std::min(limit, asked);
  }
  return limit;
}

/// The function's kernel: from an archive, from its library's image, or compiled.
LibraryCode::LoadedKernel kernel_of(HMFunction *function, const LinkedFunctions &linked,
                                    NSArray<id<MTLBinaryArchive>> *archives,
                                    MTLPipelineOption options) {
  std::string why_not;
  if (std::optional<LibraryCode::LoadedKernel> kernel =
          hostmetal::api::find_archived(function, linked, archives, why_not))
    return std::move(*kernel);
  if (options & MTLPipelineOptionFailOnBinaryArchiveMiss)
    throw Failure(Failure::Kind::function_not_found,
                  "The pipeline of function \"" + hostmetal::api::to_utf8([function name]) +
                      "\" must come from a binary archive: " + why_not);
  return [function hm_buildWith:linked];
}

/// Adds to `linked` what is not there yet.
void link(NSArray<id<MTLFunction>> *functions, LinkedFunctions &linked) {
  for (id<MTLFunction> each in functions) {
    HMFunction *function = hostmetal::api::own<HMFunction>(each);
    if (!function)
      throw Failure(Failure::Kind::unsupported,
                    "A linked function of a pipeline is of no library of this device.");
    LinkedFunction added = [function hm_linked];
    if (std::ranges::find(linked, added.key, &LinkedFunction::key) == linked.end())
      linked.push_back(std::move(added));
  }
}

/// Those of which a pipeline has handles.
LinkedFunctions callable_functions(MTLLinkedFunctions *functions) {
  LinkedFunctions linked;
  link([functions functions], linked);
  link([functions binaryFunctions], linked);
  return linked;
}

} // namespace

@implementation HMComputePipelineState

- (instancetype)initWithDevice:(HMDevice *)device
                      function:(HMFunction *)function
                        kernel:(LibraryCode::LoadedKernel)loaded
                      callable:(std::vector<uint64_t>)callable
               maxTotalThreads:(NSUInteger)maxTotalThreads
                         label:(NSString *)label {
  if ((self = [super init])) {
    auto created = Retained<HMComputePipelineState *>::adopt(self);
    require_runnable(loaded.reflection);
    _maxTotalThreadsPerThreadgroup = thread_limit(
        loaded.reflection, [function hm_maxTotalThreadsPerThreadgroup], maxTotalThreads);
    _kernel = [device hm_executor]->load(std::move(loaded.reflection), loaded.code,
                                         std::move(loaded.owner));
    _callable = std::move(callable);
    _device = Retained<HMDevice *>::retain(device);
    _label = Retained<NSString *>::adopt([label copy]);
    return created.release();
  }
  return self;
}

- (NSString *)label {
  return _label.get();
}

- (id<MTLDevice>)device {
  return _device.get();
}

- (NSUInteger)maxTotalThreadsPerThreadgroup {
  return _maxTotalThreadsPerThreadgroup;
}

- (NSUInteger)threadExecutionWidth {
  return HM_SIMD_WIDTH;
}

- (NSUInteger)staticThreadgroupMemoryLength {
  return [self hm_reflection].static_threadgroup_memory;
}

- (id<MTLFunctionHandle>)functionHandleWithFunction:(id<MTLFunction>)function {
  HMFunction *const linked = hostmetal::api::own<HMFunction>(function);
  uint64_t number = 0;
  const bool isLinked = linked && hostmetal::api::or_error(nullptr, [&] {
                          number = [linked hm_linked].number();
                          return std::ranges::find(_callable, number) != _callable.end();
                        });
  if (!isLinked)
    return nil;
  return [[[HMFunctionHandle alloc] initWithFunction:linked kernel:_kernel
                                              number:number] autorelease];
}

- (id<MTLVisibleFunctionTable>)newVisibleFunctionTableWithDescriptor:
    (MTLVisibleFunctionTableDescriptor *)descriptor {
  return hostmetal::api::make_function_table(_device.get(), _kernel, [descriptor functionCount]);
}

- (const std::shared_ptr<const hostmetal::Kernel> &)hm_kernel {
  return _kernel;
}

- (const hostmetal::image::Kernel &)hm_reflection {
  return _kernel->reflection();
}

@end

namespace hostmetal::api {

id<MTLComputePipelineState> make_compute_pipeline(HMDevice *device,
                                                  MTLComputePipelineDescriptor *descriptor,
                                                  MTLPipelineOption options,
                                                  MTLComputePipelineReflection **reflection,
                                                  NSError **error) {
  if (reflection)
    *reflection = nil;
  return or_error(error, [&]() -> id<MTLComputePipelineState> {
    HMFunction *function = own<HMFunction>([descriptor computeFunction]);
    if (!function)
      throw Failure(Failure::Kind::unsupported,
                    "A compute pipeline needs a function that a library of this device made.");
    const LinkedFunctions linked = linked_functions([descriptor linkedFunctions]);
    std::vector<uint64_t> callable;
    for (const LinkedFunction &each : callable_functions([descriptor linkedFunctions]))
      callable.push_back(each.number());
    // Made before the pipeline is allocated: what throws after +alloc leaks the object.
    LibraryCode::LoadedKernel kernel =
        kernel_of(function, linked, [descriptor binaryArchives], options);
    auto pipeline = Retained<HMComputePipelineState *>::adopt([[HMComputePipelineState alloc]
         initWithDevice:device
               function:function
                 kernel:std::move(kernel)
               callable:std::move(callable)
        maxTotalThreads:[descriptor maxTotalThreadsPerThreadgroup]
                  label:[descriptor label]]);
    if (reflection && (options & (MTLPipelineOptionBindingInfo | MTLPipelineOptionBufferTypeInfo)))
      *reflection =
          [[[MTLComputePipelineReflection alloc] initWithKernel:[pipeline.get() hm_reflection]
                                                        options:options] autorelease];
    return pipeline.release();
  });
}

LinkedFunctions linked_functions(MTLLinkedFunctions *functions) {
  LinkedFunctions linked = callable_functions(functions);
  link([functions privateFunctions], linked);
  return linked;
}

MTLComputePipelineDescriptor *pipeline_descriptor(id<MTLFunction> function) {
  MTLComputePipelineDescriptor *descriptor =
      [[[MTLComputePipelineDescriptor alloc] init] autorelease];
  [descriptor setComputeFunction:function];
  return descriptor;
}

} // namespace hostmetal::api
