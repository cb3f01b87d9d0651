#import "hostmetal/api/function.h"

#import "hostmetal/api/argument_encoder.h"
#import "hostmetal/api/device.h"
#include "hostmetal/api/error.hpp"
#include "hostmetal/api/failure.hpp"
#import "hostmetal/api/library.h"
#include "hostmetal/api/text.hpp"

using hostmetal::api::Constant;
using hostmetal::api::ConstantValues;
using hostmetal::api::Failure;
using hostmetal::api::LibraryCode;
using hostmetal::api::LinkedFunction;
using hostmetal::api::LinkedFunctions;
using metalcore::objc::Retained;

@interface MTLFunctionConstant (HostMetal)
- (instancetype)initWithConstant:(const hostmetal::image::FunctionConstant &)constant;
@end

@implementation MTLFunctionConstant

@synthesize name = _name, type = _type, index = _index, required = _required;

- (instancetype)initWithConstant:(const hostmetal::image::FunctionConstant &)constant {
  if ((self = [super init])) {
    _name = [hostmetal::api::to_string(constant.name) copy];
    _type = static_cast<MTLDataType>(constant.data_type);
    _index = constant.index;
    _required = constant.is_required;
  }
  return self;
}

- (void)dealloc {
  [_name release];
  [super dealloc];
}

@end

namespace {

void require_kernel(const hostmetal::image::Function &function) {
  if (function.kind != hostmetal::image::Function::Kind::kernel)
    throw Failure(Failure::Kind::unsupported,
                  "Function \"" + function.name + "\" is not a kernel.");
}

/// What the function is compiled with: what it was specialised with, if it was.
std::vector<Constant> constants_of(const hostmetal::image::Function &function,
                                   const std::optional<std::vector<Constant>> &given) {
  return given ? *given : ConstantValues().resolve(function);
}

} // namespace

@implementation HMFunction

@synthesize label = _label;

- (instancetype)initWithLibrary:(HMLibrary *)library
                       function:(const hostmetal::image::Function &)function {
  if ((self = [super init])) {
    _library = Retained<HMLibrary *>::retain(library);
    _function = &function;
    _name = Retained<NSString *>::retain(hostmetal::api::to_string(function.name));
  }
  return self;
}

- (instancetype)initWithLibrary:(HMLibrary *)library
                       function:(const hostmetal::image::Function &)function
                         values:(const ConstantValues &)values
                           name:(NSString *)name
                        options:(MTLFunctionOptions)options {
  auto created = Retained<HMFunction *>::adopt([self initWithLibrary:library function:function]);
  _constants = values.resolve(function);
  if (name)
    _name = Retained<NSString *>::adopt([name copy]);
  _options = options;
  return created.release();
}

- (void)dealloc {
  [_label release];
  [super dealloc];
}

- (id<MTLDevice>)device {
  return [_library.get() device];
}

- (MTLFunctionType)functionType {
  switch (_function->kind) {
  case hostmetal::image::Function::Kind::kernel:
    return MTLFunctionTypeKernel;
  case hostmetal::image::Function::Kind::visible:
    return MTLFunctionTypeVisible;
  }
}

- (NSString *)name {
  return _name.get();
}

- (NSDictionary<NSString *, MTLFunctionConstant *> *)functionConstantsDictionary {
  NSMutableDictionary *constants = [NSMutableDictionary dictionary];
  for (const hostmetal::image::FunctionConstant &constant : _function->constants) {
    const auto object = Retained<MTLFunctionConstant *>::adopt(
        [[MTLFunctionConstant alloc] initWithConstant:constant]);
    [constants setObject:object.get() forKey:[object.get() name]];
  }
  return constants;
}

- (MTLFunctionOptions)options {
  return _options;
}

- (id<MTLArgumentEncoder>)newArgumentEncoderWithBufferIndex:(NSUInteger)bufferIndex {
  hostmetal::image::Kernel kernel;
  NSError *error = nil;
  const bool isRead = hostmetal::api::or_error(&error, [&] {
    require_kernel(*_function);
    kernel = [_library.get() hm_code].reflect(*_function);
    return true;
  });
  if (!isRead)
    [NSException raise:NSInvalidArgumentException format:@"%@", [error localizedDescription]];
  for (const hostmetal::image::Argument &argument : kernel.arguments)
    if (argument.kind == hostmetal::image::ArgumentKind::buffer && argument.index == bufferIndex)
      return hostmetal::api::make_argument_encoder(static_cast<HMDevice *>([self device]),
                                                   argument);
  [NSException raise:NSInvalidArgumentException
              format:@"Function \"%@\" takes no buffer at index %lu.", _name.get(),
                     (unsigned long)bufferIndex];
  return nil;
}

- (LibraryCode::LoadedKernel)hm_buildWith:(const LinkedFunctions &)linked {
  require_kernel(*_function);
  return [_library.get() hm_code].build(*_function, constants_of(*_function, _constants), linked);
}

- (LinkedFunction)hm_linked {
  if (_function->kind != hostmetal::image::Function::Kind::visible)
    throw Failure(Failure::Kind::unsupported,
                  "Function \"" + _function->name + "\" is not visible and cannot be linked.");
  const LibraryCode &library = [_library.get() hm_code];
  if (library.module().empty())
    throw Failure(
        Failure::Kind::unsupported,
        "Function \"" + _function->name +
            "\" was compiled ahead of time and cannot be linked; compile it from source.");
  std::vector<Constant> constants = constants_of(*_function, _constants);
  const metalcore::Digest key = library.kernel_key(*_function, constants, {});
  return {&library, _function, std::move(constants), key};
}

- (const std::string &)hm_libraryName {
  return _function->name;
}

- (metalcore::Digest)hm_keyWith:(const LinkedFunctions &)linked {
  require_kernel(*_function);
  return
      [_library.get() hm_code].kernel_key(*_function, constants_of(*_function, _constants), linked);
}

- (std::shared_ptr<const hostmetal::image::ArchivedKernel>)hm_archivedWith:
    (const LinkedFunctions &)linked {
  require_kernel(*_function);
  return
      [_library.get() hm_code].archived(*_function, constants_of(*_function, _constants), linked);
}

- (bool)hm_isCompiled {
  return [_library.get() hm_code].is_compiled();
}

- (NSUInteger)hm_maxTotalThreadsPerThreadgroup {
  return [_library.get() hm_maxTotalThreadsPerThreadgroup];
}

- (NSString *)description {
  return [NSString stringWithFormat:@"<%@ %p \"%@\">", [self class], self, _name.get()];
}

@end
