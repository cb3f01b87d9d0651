#include "fixture.hpp"

namespace metal_library {

id<MTLDevice> device() {
  static id<MTLDevice> device = MTLCreateSystemDefaultDevice();
  return device;
}

std::string text(NSString *string) { return string ? [string UTF8String] : "nil"; }

std::string message(NSError *error) { return text([error localizedDescription]); }

bool conforms(id object, NSString *protocol) {
  return [object conformsToProtocol:NSProtocolFromString(protocol)];
}

std::vector<std::string> texts(NSArray<NSString *> *strings) {
  std::vector<std::string> result;
  for (NSString *string in strings)
    result.push_back(text(string));
  return result;
}

LibraryPointer compile(const std::string &source, MTLCompileOptions *options) {
  NSError *error = nil;
  auto library = LibraryPointer::adopt([device()
      newLibraryWithSource:[NSString stringWithUTF8String:source.c_str()]
                   options:options
                     error:&error]);
  EXPECT_TRUE(library) << message(error);
  EXPECT_EQ(error, nil) << message(error);
  return library;
}

FunctionPointer function(const LibraryPointer &library, const std::string &name) {
  auto function = FunctionPointer::adopt(
      [library.get() newFunctionWithName:[NSString stringWithUTF8String:name.c_str()]]);
  EXPECT_TRUE(function) << name;
  return function;
}

} // namespace metal_library
