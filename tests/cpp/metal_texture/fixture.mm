#include "fixture.hpp"

#import "metal_commands/catch_exception.h"

#include <iostream>
#include <map>

namespace metal_texture {

float random_float(float low, float high) {
  return std::uniform_real_distribution<float>(low, high)(random_source());
}

namespace {

const std::string preamble = "#include <metal_stdlib>\nusing namespace metal;\n";

Retained<id<MTLLibrary>> library(const std::string &source, NSError **error) {
  MTLCompileOptions *const options = [[[MTLCompileOptions alloc] init] autorelease];
  [options setMathMode:MTLMathModeSafe];
  return Retained<id<MTLLibrary>>::adopt([device()
      newLibraryWithSource:[NSString stringWithUTF8String:(preamble + source).c_str()]
                   options:options
                     error:error]);
}

std::string finish(id<MTLCommandBuffer> commands) {
  [commands commit];
  [commands waitUntilCompleted];
  return [commands error] ? message([commands error]) : "";
}

id<MTLCommandQueue> queue() {
  static const id<MTLCommandQueue> queue = [device() newCommandQueue];
  return queue;
}

} // namespace

PipelinePointer pipeline(const std::string &source, const std::string &name) {
  static std::map<std::pair<std::string, std::string>, PipelinePointer> made;
  PipelinePointer &pipeline = made[{source, name}];
  if (pipeline)
    return pipeline;
  NSError *error = nil;
  const auto of = library(source, &error);
  EXPECT_TRUE(of) << message(error);
  const auto function = metal_library::function(of, name);
  pipeline = PipelinePointer::adopt([device() newComputePipelineStateWithFunction:function.get()
                                                                            error:&error]);
  EXPECT_TRUE(pipeline) << message(error);
  return pipeline;
}

std::string compile_error(const std::string &source) {
  NSError *error = nil;
  const auto made = library(source, &error);
  if (!made)
    return message(error);
  const auto function = metal_library::function(made, "k");
  const auto pipeline =
      PipelinePointer::adopt([device() newComputePipelineStateWithFunction:function.get()
                                                                     error:&error]);
  return pipeline ? "" : message(error);
}

MTLTextureDescriptor *descriptor(MTLTextureType type, MTLPixelFormat format, MTLSize size,
                                 NSUInteger array_length, NSUInteger levels) {
  MTLTextureDescriptor *const result = [[[MTLTextureDescriptor alloc] init] autorelease];
  [result setTextureType:type];
  [result setPixelFormat:format];
  [result setWidth:size.width];
  [result setHeight:size.height];
  [result setDepth:size.depth];
  [result setArrayLength:array_length];
  [result setMipmapLevelCount:levels];
  [result setUsage:MTLTextureUsageShaderRead | MTLTextureUsageShaderWrite];
  return result;
}

TexturePointer make_texture(MTLTextureDescriptor *descriptor) {
  return TexturePointer::adopt([device() newTextureWithDescriptor:descriptor]);
}

BufferPointer make_buffer(size_t size) {
  return BufferPointer::adopt([device() newBufferWithLength:size
                                                    options:MTLResourceStorageModeShared]);
}

SamplerPointer make_sampler(MTLSamplerDescriptor *descriptor) {
  return SamplerPointer::adopt([device() newSamplerStateWithDescriptor:descriptor]);
}

std::string error_of(const PipelinePointer &pipeline, MTLSize threads, const Encode &encode) {
  id<MTLCommandBuffer> commands = [queue() commandBuffer];
  id<MTLComputeCommandEncoder> encoder = [commands computeCommandEncoder];
  [encoder setComputePipelineState:pipeline.get()];
  encode(encoder);
  [encoder dispatchThreads:threads threadsPerThreadgroup:MTLSizeMake(8, 4, 1)];
  [encoder endEncoding];
  return finish(commands);
}

void run(const PipelinePointer &pipeline, MTLSize threads, const Encode &encode) {
  ASSERT_EQ(error_of(pipeline, threads, encode), "");
}

std::string error_of_blit(const EncodeBlit &encode) {
  id<MTLCommandBuffer> commands = [queue() commandBuffer];
  id<MTLBlitCommandEncoder> encoder = [commands blitCommandEncoder];
  encode(encoder);
  [encoder endEncoding];
  return finish(commands);
}

void blit(const EncodeBlit &encode) { ASSERT_EQ(error_of_blit(encode), ""); }

std::string reason_of(void (^block)(void)) {
  NSString *const reason = reason_of_exception(block);
  return reason ? [reason UTF8String] : "";
}

} // namespace metal_texture
