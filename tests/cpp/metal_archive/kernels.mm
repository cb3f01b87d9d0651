#include "kernels.hpp"

#include <cmath>
#include <fstream>
#include <numeric>
#include <random>
#include <sstream>
#include <unistd.h>

namespace metal_archive {

const char *const kernel_source = R"(
#include <metal_stdlib>
using namespace metal;

constant int power [[function_constant(0)]];

struct Params {
  float factor;
  uint offset;
};

kernel void scale(device float *out [[buffer(0)]], const device float *in [[buffer(1)]],
                  constant Params &params [[buffer(2)]], uint i [[thread_position_in_grid]]) {
  float result = params.factor;
  for (int n = 0; n < power; ++n)
    result *= in[i];
  out[i + params.offset] = result;
}

kernel void sum(device float *out [[buffer(0)]], const device float *in [[buffer(1)]],
                threadgroup float *scratch [[threadgroup(0)]],
                uint i [[thread_position_in_threadgroup]],
                uint size [[threads_per_threadgroup]]) {
  scratch[i] = in[i];
  for (uint half_size = size / 2; half_size > 0; half_size /= 2) {
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (i < half_size)
      scratch[i] += scratch[i + half_size];
  }
  if (i == 0)
    out[0] = scratch[0];
}

float visible_one(float x);
[[visible]] float visible_one(float x) { return x + 1.0f; }
)";

namespace {

struct Params {
  float factor;
  uint32_t offset;
};

NSURL *url(const std::filesystem::path &path) {
  return [NSURL fileURLWithPath:[NSString stringWithUTF8String:path.c_str()]];
}

Retained<id<MTLBuffer>> make_buffer(size_t count) {
  return Retained<id<MTLBuffer>>::adopt(
      [device() newBufferWithLength:count * sizeof(float) options:MTLResourceStorageModeShared]);
}

/// Random numbers of a fresh seed, which a failure shows.
std::vector<float> fill(const Retained<id<MTLBuffer>> &buffer, size_t count) {
  const unsigned seed = std::random_device()();
  testing::Test::RecordProperty("seed", std::to_string(seed));
  std::mt19937 random(seed);
  std::vector<float> values(count);
  for (float &value : values)
    value = std::uniform_real_distribution<float>(-2, 2)(random);
  std::copy(values.begin(), values.end(), static_cast<float *>([buffer.get() contents]));
  return values;
}

template <typename Encode> bool run(const PipelinePointer &pipeline, Encode encode) {
  const auto queue = Retained<id<MTLCommandQueue>>::adopt([device() newCommandQueue]);
  id<MTLCommandBuffer> commands = [queue.get() commandBuffer];
  id<MTLComputeCommandEncoder> encoder = [commands computeCommandEncoder];
  [encoder setComputePipelineState:pipeline.get()];
  encode(encoder);
  [encoder endEncoding];
  [commands commit];
  [commands waitUntilCompleted];
  return [commands status] == MTLCommandBufferStatusCompleted;
}

} // namespace

FunctionPointer specialised(const LibraryPointer &library, int power) {
  const auto values =
      Retained<MTLFunctionConstantValues *>::adopt([[MTLFunctionConstantValues alloc] init]);
  [values.get() setConstantValue:&power type:MTLDataTypeInt withName:@"power"];
  NSError *error = nil;
  auto function = FunctionPointer::adopt([library.get() newFunctionWithName:@"scale"
                                                             constantValues:values.get()
                                                                      error:&error]);
  EXPECT_TRUE(function) << message(error);
  return function;
}

MTLComputePipelineDescriptor *descriptor(const FunctionPointer &function,
                                         NSArray<id<MTLBinaryArchive>> *archives) {
  MTLComputePipelineDescriptor *descriptor =
      [[[MTLComputePipelineDescriptor alloc] init] autorelease];
  [descriptor setComputeFunction:function.get()];
  [descriptor setBinaryArchives:archives];
  return descriptor;
}

ArchivePointer empty_archive() {
  NSError *error = nil;
  MTLBinaryArchiveDescriptor *descriptor = [[[MTLBinaryArchiveDescriptor alloc] init] autorelease];
  auto archive = ArchivePointer::adopt([device() newBinaryArchiveWithDescriptor:descriptor
                                                                          error:&error]);
  EXPECT_TRUE(archive) << message(error);
  return archive;
}

ArchivePointer open_archive(const std::filesystem::path &path, NSError **error) {
  MTLBinaryArchiveDescriptor *descriptor = [[[MTLBinaryArchiveDescriptor alloc] init] autorelease];
  [descriptor setUrl:url(path)];
  return ArchivePointer::adopt([device() newBinaryArchiveWithDescriptor:descriptor error:error]);
}

void add(const ArchivePointer &archive, const FunctionPointer &function) {
  NSError *error = nil;
  EXPECT_TRUE([archive.get() addComputePipelineFunctionsWithDescriptor:descriptor(function)
                                                                 error:&error])
      << message(error);
}

void write(const ArchivePointer &archive, const std::filesystem::path &path) {
  NSError *error = nil;
  EXPECT_TRUE([archive.get() serializeToURL:url(path) error:&error]) << message(error);
}

PipelinePointer find(const FunctionPointer &function, NSArray<id<MTLBinaryArchive>> *archives,
                     NSError **error, MTLComputePipelineReflection **reflection) {
  return PipelinePointer::adopt([device()
      newComputePipelineStateWithDescriptor:descriptor(function, archives)
                                    options:MTLPipelineOptionFailOnBinaryArchiveMiss |
                                            MTLPipelineOptionBindingInfo |
                                            MTLPipelineOptionBufferTypeInfo
                                 reflection:reflection
                                      error:error]);
}

PipelinePointer find(const FunctionPointer &function, const ArchivePointer &archive) {
  return find(function, @[ archive.get() ]);
}

PipelinePointer compile(const FunctionPointer &function,
                        MTLComputePipelineReflection **reflection) {
  NSError *error = nil;
  auto pipeline = PipelinePointer::adopt([device()
      newComputePipelineStateWithFunction:function.get()
                                  options:MTLPipelineOptionBindingInfo |
                                          MTLPipelineOptionBufferTypeInfo
                               reflection:reflection
                                    error:&error]);
  EXPECT_TRUE(pipeline) << message(error);
  return pipeline;
}

bool scales(const PipelinePointer &pipeline, int power) {
  constexpr size_t count = 1003;
  const auto in = make_buffer(count), out = make_buffer(count + 1);
  const std::vector<float> values = fill(in, count);
  const Params params{1.25f, 1};
  if (!run(pipeline, [&](id<MTLComputeCommandEncoder> encoder) {
        [encoder setBuffer:out.get() offset:0 atIndex:0];
        [encoder setBuffer:in.get() offset:0 atIndex:1];
        [encoder setBytes:&params length:sizeof(params) atIndex:2];
        [encoder dispatchThreads:MTLSizeMake(count, 1, 1)
            threadsPerThreadgroup:MTLSizeMake(100, 1, 1)];
      }))
    return false;
  const auto *result = static_cast<const float *>([out.get() contents]);
  for (size_t i = 0; i < count; ++i) {
    const double expected = 1.25 * std::pow(static_cast<double>(values[i]), power);
    if (std::abs(result[i + 1] - expected) > 1e-4 * (1 + std::abs(expected)))
      return false;
  }
  return result[0] == 0;
}

bool sums(const PipelinePointer &pipeline) {
  constexpr size_t count = 256;
  const auto in = make_buffer(count), out = make_buffer(1);
  const std::vector<float> values = fill(in, count);
  if (!run(pipeline, [&](id<MTLComputeCommandEncoder> encoder) {
        [encoder setBuffer:out.get() offset:0 atIndex:0];
        [encoder setBuffer:in.get() offset:0 atIndex:1];
        [encoder setThreadgroupMemoryLength:count * sizeof(float) atIndex:0];
        [encoder dispatchThreadgroups:MTLSizeMake(1, 1, 1)
                threadsPerThreadgroup:MTLSizeMake(count, 1, 1)];
      }))
    return false;
  const double expected = std::accumulate(values.begin(), values.end(), 0.0);
  return std::abs(*static_cast<const float *>([out.get() contents]) - expected) < 1e-3;
}

std::string contents(const std::filesystem::path &path) {
  std::ostringstream bytes;
  bytes << std::ifstream(path, std::ios::binary).rdbuf();
  return bytes.str();
}

void write_file(const std::filesystem::path &path, const std::string &bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

} // namespace metal_archive
