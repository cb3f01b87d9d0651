#import "hostmetal/api/library.h"

#include "hostmetal/api/background.hpp"
#include "hostmetal/api/compile_options.hpp"
#import "hostmetal/api/device.h"
#include "hostmetal/api/error.hpp"
#include "hostmetal/api/failure.hpp"
#import "hostmetal/api/function.h"
#import "hostmetal/api/function_constant_values.h"
#include "hostmetal/api/text.hpp"

using hostmetal::api::ConstantValues;
using hostmetal::api::Failure;
using hostmetal::api::LibraryCode;
using metalcore::objc::Retained;

namespace {

using FunctionHandler = void (^)(id<MTLFunction>, NSError *);

const hostmetal::image::Function &require_function(const LibraryCode &code, NSString *name) {
  const std::string wanted = hostmetal::api::to_utf8(name);
  if (const hostmetal::image::Function *function = code.find(wanted))
    return *function;
  std::string known;
  for (const hostmetal::image::Function &function : code.description().functions)
    known += (known.empty() ? "" : ", ") + function.name;
  throw Failure(Failure::Kind::function_not_found,
                "The library has no function \"" + wanted + "\"" +
                    (known.empty() ? "; it has none at all." : "; it has " + known + "."));
}

} // namespace

@implementation HMLibrary

@synthesize label = _label;

- (instancetype)initWithDevice:(HMDevice *)device
                             code:(std::shared_ptr<const LibraryCode>)code
    maxTotalThreadsPerThreadgroup:(NSUInteger)maxTotalThreadsPerThreadgroup {
  if ((self = [super init])) {
    _device = Retained<HMDevice *>::retain(device);
    _code = std::move(code);
    _maxTotalThreadsPerThreadgroup = maxTotalThreadsPerThreadgroup;
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

- (id<MTLFunction>)newFunctionWithName:(NSString *)functionName {
  return hostmetal::api::or_error(nullptr, [&]() -> id<MTLFunction> {
    // Looked up first: what throws after +alloc leaks the object.
    const hostmetal::image::Function &function = require_function(*_code, functionName);
    return [[HMFunction alloc] initWithLibrary:self function:function];
  });
}

- (id<MTLFunction>)newFunctionWithName:(NSString *)name
                        constantValues:(MTLFunctionConstantValues *)constantValues
                                 error:(NSError **)error {
  const auto descriptor =
      Retained<MTLFunctionDescriptor *>::adopt([[MTLFunctionDescriptor alloc] init]);
  [descriptor.get() setName:name];
  [descriptor.get() setConstantValues:constantValues];
  return [self newFunctionWithDescriptor:descriptor.get() error:error];
}

- (void)newFunctionWithName:(NSString *)name
             constantValues:(MTLFunctionConstantValues *)constantValues
          completionHandler:(FunctionHandler)completionHandler {
  const auto descriptor =
      Retained<MTLFunctionDescriptor *>::adopt([[MTLFunctionDescriptor alloc] init]);
  [descriptor.get() setName:name];
  [descriptor.get() setConstantValues:constantValues];
  [self newFunctionWithDescriptor:descriptor.get() completionHandler:completionHandler];
}

- (void)newFunctionWithDescriptor:(MTLFunctionDescriptor *)descriptor
                completionHandler:(FunctionHandler)completionHandler {
  hostmetal::api::run_in_background(
      [library = Retained<HMLibrary *>::retain(self),
       descriptor = Retained<MTLFunctionDescriptor *>::adopt([descriptor copy]),
       handler = hostmetal::api::required_block(completionHandler)] {
        NSError *error = nil;
        const auto function = Retained<id<MTLFunction>>::adopt(
            [library.get() newFunctionWithDescriptor:descriptor.get() error:&error]);
        handler(function.get(), error);
      });
}

- (id<MTLFunction>)newFunctionWithDescriptor:(MTLFunctionDescriptor *)descriptor
                                       error:(NSError **)error {
  return hostmetal::api::or_error(error, [&]() -> id<MTLFunction> {
    const hostmetal::image::Function &function = require_function(*_code, [descriptor name]);
    MTLFunctionConstantValues *values = [descriptor constantValues];
    return [[HMFunction alloc] initWithLibrary:self
                                      function:function
                                        values:values ? [values hm_values] : ConstantValues()
                                          name:[descriptor specializedName]
                                       options:[descriptor options]];
  });
}

- (NSArray<NSString *> *)functionNames {
  NSMutableArray *names = [NSMutableArray array];
  for (const hostmetal::image::Function &function : _code->description().functions)
    [names addObject:hostmetal::api::to_string(function.name)];
  return names;
}

- (MTLLibraryType)type {
  return MTLLibraryTypeExecutable;
}

- (NSString *)installName {
  return nil;
}

- (const LibraryCode &)hm_code {
  return *_code;
}

- (NSUInteger)hm_maxTotalThreadsPerThreadgroup {
  return _maxTotalThreadsPerThreadgroup;
}

@end

namespace hostmetal::api {

id<MTLLibrary> make_library(HMDevice *device, NSString *source, MTLCompileOptions *options,
                            NSError **error) {
  return or_error(error, [&]() -> id<MTLLibrary> {
    std::string warnings;
    std::shared_ptr<const LibraryCode> code =
        compile_source(source_request(source, options), warnings);
    if (error)
      *error = warnings.empty()
                   ? nil
                   : make_error(MTLLibraryErrorDomain, MTLLibraryErrorCompileWarning, warnings);
    return [[HMLibrary alloc] initWithDevice:device
                                        code:std::move(code)
               maxTotalThreadsPerThreadgroup:[options maxTotalThreadsPerThreadgroup]];
  });
}

id<MTLLibrary> make_library(HMDevice *device, NSURL *url, NSError **error) {
  return or_error(error, [&]() -> id<MTLLibrary> {
    if (![url isFileURL])
      throw Failure(Failure::Kind::unsupported,
                    "A library is opened from the URL of a file; this one is " +
                        (url ? to_utf8([url absoluteString]) : "nil") + ".");
    std::shared_ptr<const LibraryCode> code = open_image(to_utf8([url path]));
    return [[HMLibrary alloc] initWithDevice:device
                                        code:std::move(code)
               maxTotalThreadsPerThreadgroup:0];
  });
}

id<MTLLibrary> make_default_library(HMDevice *device, NSBundle *bundle, NSError **error) {
  NSString *path = [bundle pathForResource:@"default" ofType:@"metallib"];
  if (path)
    return make_library(device, [NSURL fileURLWithPath:path], error);
  set_error(error, MTLLibraryErrorDomain, MTLLibraryErrorFileNotFound,
            "The bundle holds no default.metallib.");
  return nil;
}

} // namespace hostmetal::api
