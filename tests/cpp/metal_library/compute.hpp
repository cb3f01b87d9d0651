// Runs kernels that the real compiler made.
#pragma once

#include "fixture.hpp"
#include "metal_commands/catch_exception.h"

#include <functional>
#include <random>

namespace metal_library {

using BufferPointer = Retained<id<MTLBuffer>>;

/// A fresh seed for each run, printed once.
std::mt19937 &random_source();
std::vector<float> random_floats(size_t count);

BufferPointer make_buffer(const void *bytes, size_t size);
template <typename T> BufferPointer make_buffer(const std::vector<T> &values) {
  return make_buffer(values.data(), values.size() * sizeof(T));
}
template <typename T> T *contents(const BufferPointer &buffer) {
  return static_cast<T *>([buffer.get() contents]);
}

/// Nil, where the compiler would warn of a literal.
template <typename T> T absent() {
  return nil;
}

/// A pipeline of a kernel without constants.
PipelinePointer make_pipeline(const LibraryPointer &library, const std::string &name);
/// Runs `threads` threads in threadgroups of up to `group` with what `encode` binds. The sentence
/// that says what was wrong; empty if nothing was.
std::string run(const PipelinePointer &pipeline, size_t threads, size_t group,
                const std::function<void(id<MTLComputeCommandEncoder>)> &encode);
/// The reason of the exception that the block raises; empty when it raises none.
std::string reason_of(void (^block)(void));

} // namespace metal_library
