#pragma once

#include "metalcore/event.hpp"
#include "objc/retained.hpp"

#import <Metal/Metal.h>

#include <memory>

namespace metalcore {

struct Event::Impl {
  const std::shared_ptr<Device::Impl> device;
  const objc::Retained<id<MTLSharedEvent>> metal;
};

} // namespace metalcore
