#pragma once

#import <Metal/Metal.h>

#include "objc/retained.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace metal_library {

using metalcore::objc::Retained;
using LibraryPointer = Retained<id<MTLLibrary>>;
using FunctionPointer = Retained<id<MTLFunction>>;
using PipelinePointer = Retained<id<MTLComputePipelineState>>;

/// The device, alive for the process.
id<MTLDevice> device();

std::string text(NSString *string);
std::string message(NSError *error);
/// By name: GCC's runtime leaves @protocol(…) blank in a file without a class that conforms to it.
bool conforms(id object, NSString *protocol);
std::vector<std::string> texts(NSArray<NSString *> *strings);

/// What a function of the fake compiler counts; the compiler has been opened.
int fake_count(const char *function);

/// A library from source that has to compile without warnings.
LibraryPointer compile(const std::string &source, MTLCompileOptions *options = nil);
FunctionPointer function(const LibraryPointer &library, const std::string &name);

/// Every test has an autorelease pool.
class MetalTest : public testing::Test {
  NSAutoreleasePool *pool_ = [[NSAutoreleasePool alloc] init];

protected:
  ~MetalTest() override { [pool_ release]; }
};

} // namespace metal_library
