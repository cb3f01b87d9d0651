#pragma once

#include "metal_library/fixture.hpp"
#include "support/random.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace metal_texture {

using metal_library::device;
using metal_library::message;
using metal_library::MetalTest;
using metal_library::PipelinePointer;
using metalcore::objc::Retained;
using metalcore::test::random_between;
using metalcore::test::random_bytes;
using metalcore::test::random_source;
using TexturePointer = Retained<id<MTLTexture>>;
using BufferPointer = Retained<id<MTLBuffer>>;
using SamplerPointer = Retained<id<MTLSamplerState>>;
using Encode = std::function<void(id<MTLComputeCommandEncoder>)>;

float random_float(float low, float high);

/// "#include <metal_stdlib>" and "using namespace metal;" go before `source`. Safe math.
PipelinePointer pipeline(const std::string &source, const std::string &name);
/// Why the source, compiled to the kernel "k", gives no pipeline.
std::string compile_error(const std::string &source);

MTLTextureDescriptor *descriptor(MTLTextureType type, MTLPixelFormat format, MTLSize size,
                                 NSUInteger array_length = 1, NSUInteger levels = 1);
/// Readable and writable.
TexturePointer make_texture(MTLTextureDescriptor *descriptor);
BufferPointer make_buffer(size_t size);
template <typename T> BufferPointer make_buffer(const std::vector<T> &values) {
  const BufferPointer buffer = make_buffer(values.size() * sizeof(T));
  std::copy(values.begin(), values.end(), static_cast<T *>([buffer.get() contents]));
  return buffer;
}
template <typename T> std::vector<T> contents_of(const BufferPointer &buffer) {
  const T *first = static_cast<const T *>([buffer.get() contents]);
  return std::vector<T>(first, first + [buffer.get() length] / sizeof(T));
}
SamplerPointer make_sampler(MTLSamplerDescriptor *descriptor);

/// Runs the kernel over `threads`; nothing may go wrong.
void run(const PipelinePointer &pipeline, MTLSize threads, const Encode &encode);
/// The sentence that says what is wrong with the dispatch; empty if nothing is.
std::string error_of(const PipelinePointer &pipeline, MTLSize threads, const Encode &encode);
/// The same for a blit; nothing may go wrong with the first.
using EncodeBlit = std::function<void(id<MTLBlitCommandEncoder>)>;
void blit(const EncodeBlit &encode);
std::string error_of_blit(const EncodeBlit &encode);
/// The reason of the exception that the block raises; empty when it raises none.
std::string reason_of(void (^block)(void));

} // namespace metal_texture
