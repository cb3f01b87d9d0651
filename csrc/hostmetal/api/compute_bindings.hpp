/// What a compute encoder has bound.
#pragma once

#include "hostmetal/image/pixel_format.hpp"
#include "hostmetal/image/reflection.hpp"

#include <array>
#include <cstdint>

namespace hostmetal {
struct Dispatch;
}

namespace hostmetal::api {

/// Argument indices of each kind: [[buffer(n)]] and [[threadgroup(n)]] go from 0 to 30.
inline constexpr size_t max_bindings = 31;
inline constexpr size_t max_textures = 128; ///< [[texture(n)]]
inline constexpr size_t max_samplers = 16;  ///< [[sampler(n)]]

/// At one buffer index.
struct BufferBinding {
  uint8_t *address = nullptr; ///< of the buffer or the copied bytes; null: nothing is bound
  uint64_t length = 0;        ///< of the whole buffer
  uint64_t offset = 0;
  bool is_bytes = false; ///< by setBytes: its offset cannot change
  /// Of a function table: the kernel of its pipeline; null for memory.
  const void *table_kernel = nullptr;
};

/// At one texture index.
struct TextureBinding {
  const HmTexture *texture = nullptr; ///< null: nothing is bound
  const image::PixelFormat *format = nullptr;
  uint32_t type = 0;  ///< MTLTextureType
  uint64_t usage = 0; ///< MTLTextureUsage
};

struct ComputeBindings {
  std::array<BufferBinding, max_bindings> buffers;
  std::array<uint32_t, max_bindings> threadgroup_lengths{};
  std::array<TextureBinding, max_textures> textures;
  std::array<uint64_t, max_samplers> samplers{}; ///< words; 0: nothing is bound
};

/// Gives a dispatch the arguments of its kernel, by slot of the reflection. The bindings have been
/// checked.
void capture_arguments(const ComputeBindings &bindings, Dispatch &dispatch);

} // namespace hostmetal::api
