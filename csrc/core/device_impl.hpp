#pragma once

#include "core/kernel_log.hpp"
#include "core/pipeline_cache.hpp"
#include "metalcore/device.hpp"
#include "metalcore/queue.hpp"
#include "objc/retained.hpp"
#include "support/guarded.hpp"

#import <Metal/Metal.h>

#include <atomic>
#include <memory>
#include <vector>

namespace metalcore {

/// One of Metal's devices; one object per device and process, leaked on purpose. What does not
/// change is asked for once.
struct Device::Impl : std::enable_shared_from_this<Device::Impl> {
  explicit Impl(id<MTLDevice> device);

  const objc::Retained<id<MTLDevice>> metal;
  const std::string name;
  const uint64_t registry_id;
  const bool has_unified_memory;
  const std::size_t max_buffer_length;             ///< bytes
  const std::size_t max_threadgroup_memory_length; ///< bytes
  const Size3 max_group_size;                      ///< by axis

  const std::string identity; ///< tells what code runs on it

  const objc::Retained<id<MTLBuffer>> nothing; ///< bound where a caller passes no bytes at all

  std::atomic<bool> is_default = false; ///< the one that Device::default_device opened

  KernelLog log; ///< enabled by the first library that may log

  LibraryCache libraries;                                 ///< compiled from source
  SingleFlight<std::shared_ptr<Library::Impl>> builtin;   ///< the one that ships with metalcore
  SingleFlight<std::shared_ptr<Queue::Impl>> first_queue; ///< the default queue
  /// Every queue that is alive, for synchronize().
  Guarded<std::vector<std::weak_ptr<Queue::Impl>>> queues;

  std::shared_ptr<Queue::Impl> make_queue();
};

/// Every device that was opened. Any thread.
std::vector<std::shared_ptr<Device::Impl>> open_devices();

} // namespace metalcore
