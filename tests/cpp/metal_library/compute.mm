#include "compute.hpp"

namespace metal_library {

std::mt19937 &random_source() {
  static std::mt19937 random([] {
    const unsigned seed = std::random_device()();
    std::fprintf(stderr, "seed %u\n", seed);
    return seed;
  }());
  return random;
}

std::vector<float> random_floats(size_t count) {
  std::uniform_real_distribution<float> values(-4, 4);
  std::vector<float> result(count);
  for (float &value : result)
    value = values(random_source());
  return result;
}

BufferPointer make_buffer(const void *bytes, size_t size) {
  return BufferPointer::adopt([device() newBufferWithBytes:bytes
                                                    length:size
                                                   options:MTLResourceStorageModeShared]);
}

PipelinePointer make_pipeline(const LibraryPointer &library, const std::string &name) {
  NSError *error = nil;
  auto pipeline = PipelinePointer::adopt(
      [device() newComputePipelineStateWithFunction:function(library, name).get() error:&error]);
  EXPECT_TRUE(pipeline) << message(error);
  return pipeline;
}

std::string run(const PipelinePointer &pipeline, size_t threads, size_t group,
                const std::function<void(id<MTLComputeCommandEncoder>)> &encode) {
  const auto queue = Retained<id<MTLCommandQueue>>::adopt([device() newCommandQueue]);
  id<MTLCommandBuffer> commands = [queue.get() commandBuffer];
  id<MTLComputeCommandEncoder> encoder = [commands computeCommandEncoder];
  [encoder setComputePipelineState:pipeline.get()];
  encode(encoder);
  [encoder dispatchThreads:MTLSizeMake(threads, 1, 1)
      threadsPerThreadgroup:MTLSizeMake(group, 1, 1)];
  [encoder endEncoding];
  [commands commit];
  [commands waitUntilCompleted];
  return [commands status] == MTLCommandBufferStatusCompleted ? "" : message([commands error]);
}

std::string reason_of(void (^block)(void)) {
  NSString *const reason = reason_of_exception(block);
  return reason ? text(reason) : "";
}

} // namespace metal_library
