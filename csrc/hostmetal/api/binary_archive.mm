#import "hostmetal/api/binary_archive.h"

#import "hostmetal/api/device.h"
#include "hostmetal/api/error.hpp"
#include "hostmetal/api/failure.hpp"
#import "hostmetal/api/function.h"
#include "hostmetal/api/own_class.hpp"
#import "hostmetal/api/pipeline.h"
#include "hostmetal/api/text.hpp"

using hostmetal::api::ArchiveFailure;
using hostmetal::api::Failure;
using hostmetal::api::KernelArchive;
using hostmetal::api::LinkedFunctions;
using hostmetal::image::ArchivedKernel;
using metalcore::objc::Retained;

namespace {

std::string file_path(NSURL *url) {
  if (![url isFileURL])
    throw ArchiveFailure(ArchiveFailure::Kind::invalid_file,
                         "A binary archive is kept at the URL of a file; this one is " +
                             (url ? hostmetal::api::to_utf8([url absoluteString]) : "nil") + ".");
  return hostmetal::api::to_utf8([url path]);
}

/// The entry of that key in any of the archives, or null.
std::shared_ptr<const ArchivedKernel> find_entry(const metalcore::Digest &key,
                                                 NSArray<id<MTLBinaryArchive>> *archives) {
  for (id<MTLBinaryArchive> each in archives) {
    HMBinaryArchive *archive = hostmetal::api::own<HMBinaryArchive>(each);
    if (!archive)
      continue;
    if (std::shared_ptr<const ArchivedKernel> kernel = [archive hm_archive].find(key))
      return kernel;
  }
  return nullptr;
}

} // namespace

@implementation HMBinaryArchive

@synthesize label = _label;

- (instancetype)initWithDevice:(HMDevice *)device archive:(std::shared_ptr<KernelArchive>)archive {
  if ((self = [super init])) {
    _device = Retained<HMDevice *>::retain(device);
    _archive = std::move(archive);
  }
  return self;
}

- (void)dealloc {
  [_label release];
  [super dealloc];
}

- (id<MTLDevice>)device {
  return _device.get();
}

- (BOOL)addComputePipelineFunctionsWithDescriptor:(MTLComputePipelineDescriptor *)descriptor
                                            error:(NSError **)error {
  return hostmetal::api::or_error(error, [&]() -> BOOL {
    HMFunction *function = hostmetal::api::own<HMFunction>([descriptor computeFunction]);
    if (!function)
      throw ArchiveFailure(
          ArchiveFailure::Kind::unexpected_element,
          "A binary archive takes pipelines of functions that a library of this device made.");
    try {
      const LinkedFunctions linked = hostmetal::api::linked_functions([descriptor linkedFunctions]);
      const metalcore::Digest key = [function hm_keyWith:linked];
      if (_archive->find(key))
        return YES;
      std::shared_ptr<const ArchivedKernel> kernel = find_entry(key, [descriptor binaryArchives]);
      _archive->insert(key, kernel ? kernel : [function hm_archivedWith:linked]);
      return YES;
    } catch (const Failure &failure) {
      throw ArchiveFailure(failure.kind() == Failure::Kind::internal
                               ? ArchiveFailure::Kind::internal
                               : ArchiveFailure::Kind::compilation_failure,
                           failure.what());
    }
  });
}

- (BOOL)serializeToURL:(NSURL *)url error:(NSError **)error {
  return hostmetal::api::or_error(error, [&]() -> BOOL {
    _archive->write(file_path(url));
    return YES;
  });
}

- (const KernelArchive &)hm_archive {
  return *_archive;
}

@end

namespace hostmetal::api {

id<MTLBinaryArchive> make_binary_archive(HMDevice *device, MTLBinaryArchiveDescriptor *descriptor,
                                         NSError **error) {
  return or_error(error, [&]() -> id<MTLBinaryArchive> {
    if (!descriptor)
      throw ArchiveFailure(ArchiveFailure::Kind::invalid_file,
                           "A binary archive needs a descriptor, which is nil.");
    NSURL *url = [descriptor url];
    std::shared_ptr<KernelArchive> archive =
        url ? KernelArchive::open(file_path(url)) : std::make_shared<KernelArchive>();
    return [[HMBinaryArchive alloc] initWithDevice:device archive:std::move(archive)];
  });
}

std::optional<LibraryCode::LoadedKernel> find_archived(HMFunction *function,
                                                       const LinkedFunctions &linked,
                                                       NSArray<id<MTLBinaryArchive>> *archives,
                                                       std::string &why_not) {
  const std::shared_ptr<const ArchivedKernel> kernel =
      [archives count] == 0 ? nullptr : find_entry([function hm_keyWith:linked], archives);
  if (!kernel) {
    why_not = "No binary archive has it.";
    return std::nullopt;
  }
  // Code in the library itself needs no compiler either.
  if ([function hm_isCompiled])
    return [function hm_buildWith:linked];
  return load_archived(*kernel, [function hm_libraryName], why_not);
}

} // namespace hostmetal::api
