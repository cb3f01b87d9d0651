#import "hostmetal/api/function_table.h"

#import "hostmetal/api/device.h"
#import "hostmetal/api/function.h"
#include "hostmetal/api/own_class.hpp"

#include <cstddef>
#include <new>

using hostmetal::Kernel;
using hostmetal::api::own;
using metalcore::objc::Retained;

@implementation MTLVisibleFunctionTableDescriptor

@synthesize functionCount = _functionCount;

+ (MTLVisibleFunctionTableDescriptor *)visibleFunctionTableDescriptor {
  return [[[MTLVisibleFunctionTableDescriptor alloc] init] autorelease];
}

- (id)copyWithZone:(NSZone *)zone {
  MTLVisibleFunctionTableDescriptor *copy =
      [[MTLVisibleFunctionTableDescriptor allocWithZone:zone] init];
  [copy setFunctionCount:_functionCount];
  return copy;
}

@end

@implementation HMFunctionHandle

- (instancetype)initWithFunction:(HMFunction *)function
                          kernel:(std::shared_ptr<const Kernel>)kernel
                          number:(uint64_t)number {
  if ((self = [super init])) {
    _function = Retained<HMFunction *>::retain(function);
    _kernel = std::move(kernel);
    _number = number;
  }
  return self;
}

- (MTLFunctionType)functionType {
  return [_function.get() functionType];
}

- (NSString *)name {
  return [_function.get() name];
}

- (id<MTLDevice>)device {
  return [_function.get() device];
}

- (const std::shared_ptr<const Kernel> &)hm_kernel {
  return _kernel;
}

- (uint64_t)hm_number {
  return _number;
}

@end

@implementation HMVisibleFunctionTable

- (instancetype)initWithDevice:(HMDevice *)device
                    allocation:(std::unique_ptr<hostmetal::Allocation>)allocation
                        kernel:(std::shared_ptr<const Kernel>)kernel {
  if ((self = [super initWithDevice:device
                            options:MTLResourceStorageModePrivate
                      allocatedSize:allocation->size()])) {
    _allocation = std::move(allocation);
    _kernel = std::move(kernel);
  }
  return self;
}

- (MTLResourceID)gpuResourceID {
  return {reinterpret_cast<uintptr_t>(_allocation->host_pointer())};
}

- (const std::shared_ptr<const Kernel> &)hm_kernel {
  return _kernel;
}

- (HmFunctionTable *)hm_table {
  return static_cast<HmFunctionTable *>(_allocation->host_pointer());
}

- (void)setFunction:(id<MTLFunctionHandle>)function atIndex:(NSUInteger)index {
  HmFunctionTable *const table = [self hm_table];
  if (index >= table->count)
    [NSException raise:NSRangeException
                format:@"The index of a function (%lu) is larger than the largest (%lu) of its "
                       @"function table.",
                       (unsigned long)index, (unsigned long)table->count - 1];
  HMFunctionHandle *const handle = own<HMFunctionHandle>(function);
  if (function && (!handle || [handle hm_kernel] != _kernel))
    [NSException raise:NSInvalidArgumentException
                format:@"The function for index %lu of a function table is no handle of the "
                       @"pipeline that the table was made by.",
                       (unsigned long)index];
  table->functions[index] = handle ? [handle hm_number] : 0;
}

- (void)setFunctions:(const id<MTLFunctionHandle> *)functions withRange:(NSRange)range {
  for (NSUInteger at = 0; at < range.length; ++at)
    [self setFunction:functions[at] atIndex:range.location + at];
}

@end

namespace hostmetal::api {

id<MTLVisibleFunctionTable>
make_function_table(HMDevice *device, std::shared_ptr<const Kernel> kernel, NSUInteger count) {
  if (count == 0 || count > [device maxBufferLength] / sizeof(uint64_t) - 1)
    return nil;
  try {
    std::unique_ptr<hostmetal::Allocation> allocation = [device hm_executor]->allocate(
        offsetof(HmFunctionTable, functions) + count * sizeof(uint64_t),
        hostmetal::StorageMode::private_);
    HMVisibleFunctionTable *const table =
        [[HMVisibleFunctionTable alloc] initWithDevice:device
                                            allocation:std::move(allocation)
                                                kernel:std::move(kernel)];
    [table hm_table]->count = count;
    return table;
  } catch (const std::bad_alloc &) {
    return nil;
  }
}

} // namespace hostmetal::api
