#pragma once

#import <Metal/Metal.h>

#include "hostmetal/api/kernel_archive.hpp"
#include "objc/retained.hpp"

#include <memory>
#include <optional>
#include <string>

@class HMDevice;
@class HMFunction;

/// Compiled kernels. Any thread.
@interface HMBinaryArchive : NSObject <MTLBinaryArchive> {
@private
  metalcore::objc::Retained<HMDevice *> _device;
  std::shared_ptr<hostmetal::api::KernelArchive> _archive;
  NSString *_label;
}

- (instancetype)initWithDevice:(HMDevice *)device
                       archive:(std::shared_ptr<hostmetal::api::KernelArchive>)archive;

- (const hostmetal::api::KernelArchive &)hm_archive;

@end

namespace hostmetal::api {

/// +1, or nil and `error`.
id<MTLBinaryArchive> make_binary_archive(HMDevice *device, MTLBinaryArchiveDescriptor *descriptor,
                                         NSError **error);
/// The function's kernel with these linked functions from the first archive that has it, without
/// the compiler. Empty, with `why_not` set, if none has. Throws Failure.
std::optional<LibraryCode::LoadedKernel> find_archived(HMFunction *function,
                                                       const LinkedFunctions &linked,
                                                       NSArray<id<MTLBinaryArchive>> *archives,
                                                       std::string &why_not);

} // namespace hostmetal::api
