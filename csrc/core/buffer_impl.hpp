#pragma once

#include "metalcore/buffer.hpp"
#include "objc/retained.hpp"

#import <Metal/Metal.h>

#include <memory>

namespace metalcore {

struct Buffer::Impl {
  const std::shared_ptr<Device::Impl> device;
  const objc::Retained<id<MTLBuffer>> metal; ///< never of length 0, which Metal does not have
  const std::size_t length;                  ///< bytes that the caller asked for
  const StorageMode storage_mode;
  void *const contents; ///< null for private storage
};

} // namespace metalcore
