#pragma once

#import <Metal/Metal.h>

#include "hostmetal/api/library_code.hpp"
#include "objc/retained.hpp"

#include <memory>
#include <optional>
#include <vector>

@class HMDevice;
@class HMLibrary;

/// A function of a library, with or without values for its constants. Any thread.
@interface HMFunction : NSObject <MTLFunction> {
@private
  metalcore::objc::Retained<HMLibrary *> _library;
  const hostmetal::image::Function *_function; // the library's
  std::optional<std::vector<hostmetal::api::Constant>> _constants;
  metalcore::objc::Retained<NSString *> _name;
  MTLFunctionOptions _options;
  NSString *_label;
}

/// The function as it stands in the library.
- (instancetype)initWithLibrary:(HMLibrary *)library
                       function:(const hostmetal::image::Function &)function;
/// The function specialised with values, under another name unless `name` is nil. Throws Failure.
- (instancetype)initWithLibrary:(HMLibrary *)library
                       function:(const hostmetal::image::Function &)function
                         values:(const hostmetal::api::ConstantValues &)values
                           name:(NSString *)name
                        options:(MTLFunctionOptions)options;

/// Compiles and loads the kernel with the functions that it may call, or takes it from the
/// library's image, outside of every lock. Throws Failure.
- (hostmetal::api::LibraryCode::LoadedKernel)hm_buildWith:
    (const hostmetal::api::LinkedFunctions &)linked;
/// The function as pipelines link it; valid as long as the function. Throws Failure for one that is
/// not visible.
- (hostmetal::api::LinkedFunction)hm_linked;
/// The name in the library, which a specialised function may not have.
- (const std::string &)hm_libraryName;
/// LibraryCode::kernel_key. Throws Failure.
- (metalcore::Digest)hm_keyWith:(const hostmetal::api::LinkedFunctions &)linked;
/// LibraryCode::archived, outside of every lock. Throws Failure.
- (std::shared_ptr<const hostmetal::image::ArchivedKernel>)hm_archivedWith:
    (const hostmetal::api::LinkedFunctions &)linked;
/// LibraryCode::is_compiled.
- (bool)hm_isCompiled;
/// The limit on threads per threadgroup that the library was compiled with; 0 for none.
- (NSUInteger)hm_maxTotalThreadsPerThreadgroup;

@end
