#include "core/device_impl.hpp"

#include "core/library_impl.hpp"
#include "core/platform.hpp"
#include "core/queue_impl.hpp"
#include "core/source_headers.hpp"
#include "metalcore/buffer.hpp"
#include "metalcore/error.hpp"
#include "metalcore/event.hpp"
#include "metalcore/library.hpp"
#include "metalcore/preferences.hpp"
#include "objc/autorelease_pool.hpp"
#include "objc/strings.hpp"
#include "support/fork.hpp"

#include <algorithm>
#include <charconv>

namespace metalcore {

using objc::Retained;

namespace {

CacheCounters uncounted; // these caches are no part of any report

/// The devices of the process by registry id, in the order in which they were opened.
Guarded<std::vector<std::shared_ptr<Device::Impl>>> &devices() {
  const fork::Section section; // the initialisation has a lock
  static auto &opened = *new Guarded<std::vector<std::shared_ptr<Device::Impl>>>;
  return opened;
}

/// The process's one object for a device of Metal's.
std::shared_ptr<Device::Impl> impl_of(id<MTLDevice> device) {
  return devices().with([&](std::vector<std::shared_ptr<Device::Impl>> &opened) {
    const uint64_t id = [device registryID];
    const auto known = std::ranges::find_if(
        opened, [id](const auto &candidate) { return candidate->registry_id == id; });
    if (known != opened.end())
      return *known;
    opened.push_back(std::make_shared<Device::Impl>(device));
    return opened.back();
  });
}

std::shared_ptr<Device::Impl> system_default() {
  const objc::AutoreleasePool pool;
  const auto device = Retained<id<MTLDevice>>::adopt(MTLCreateSystemDefaultDevice());
  return device ? impl_of(device.get()) : nullptr;
}

/// All devices, the system's default first.
std::vector<std::shared_ptr<Device::Impl>> find_devices() {
  const fork::Section section;
  const objc::AutoreleasePool pool;
  std::vector<std::shared_ptr<Device::Impl>> found;
  if (auto first = system_default())
    found.push_back(std::move(first));
  const auto all = Retained<NSArray<id<MTLDevice>> *>::adopt(MTLCopyAllDevices());
  for (id<MTLDevice> device in all.get()) {
    auto impl = impl_of(device);
    if (std::ranges::find(found, impl) == found.end())
      found.push_back(std::move(impl));
  }
  return found;
}

/// Opens the process's default device once.
SingleFlight<std::shared_ptr<Device::Impl>> &first_device() {
  const fork::Section section; // the initialisation has a lock
  static auto &opened =
      *new SingleFlight<std::shared_ptr<Device::Impl>>(1, ErrorKind::device, uncounted);
  return opened;
}

[[noreturn]] void throw_no_device() {
  throw Error(ErrorKind::device, "No Metal device was found.");
}

std::shared_ptr<Device::Impl> named_device(const std::string &wanted) {
  const auto found = find_devices();
  if (found.empty())
    throw_no_device();
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(wanted.data(), wanted.data() + wanted.size(), index);
  const bool is_index = error == std::errc() && end == wanted.data() + wanted.size();
  if (is_index && index < found.size())
    return found[index];
  std::string names;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (!is_index && found[i]->name == wanted)
      return found[i];
    names += (i > 0 ? ", " : "") + std::to_string(i) + " (\"" + found[i]->name + "\")";
  }
  throw Error(ErrorKind::device, "The preference \"device\" is \"" + wanted +
                                     "\", but the devices are " + names + '.');
}

std::shared_ptr<Device::Impl> open_device(const std::string &wanted) {
  platform::check_process();
  auto device = wanted.empty() ? system_default() : named_device(wanted);
  if (!device)
    throw_no_device();
  device->is_default = true;
  return device;
}

/// Name and architecture.
std::string identity_of(id<MTLDevice> device) {
  std::string identity = objc::to_string([device name]);
  if (@available(macOS 14.0, iOS 17.0, *))
    identity += '\n' + objc::to_string([[device architecture] name]);
  return identity;
}

} // namespace

Device::Impl::Impl(id<MTLDevice> device)
    : metal(Retained<id<MTLDevice>>::retain(device)), name(objc::to_string([device name])),
      registry_id([device registryID]), has_unified_memory([device hasUnifiedMemory]),
      max_buffer_length([device maxBufferLength]),
      max_threadgroup_memory_length([device maxThreadgroupMemoryLength]),
      max_group_size{[device maxThreadsPerThreadgroup].width,
                     [device maxThreadsPerThreadgroup].height,
                     [device maxThreadsPerThreadgroup].depth},
      identity(identity_of(device)), nothing(Retained<id<MTLBuffer>>::adopt([device
                                         newBufferWithLength:1
                                                     options:MTLResourceStorageModeShared])),
      // The device outlives its caches, which it owns.
      libraries([this](const LibraryRequest &request) {
        auto library = compile_library(shared_from_this(), request);
        library->request = std::make_shared<const LibraryRequest>(request);
        return library;
      }),
      builtin(1, ErrorKind::device, uncounted), first_queue(1, ErrorKind::device, uncounted) {}

std::shared_ptr<Queue::Impl> Device::Impl::make_queue() {
  const fork::Section section;
  const objc::AutoreleasePool pool;
  auto queue = std::make_shared<Queue::Impl>(shared_from_this());
  queues.with([&](std::vector<std::weak_ptr<Queue::Impl>> &known) {
    std::erase_if(known, [](const auto &entry) { return entry.expired(); });
    known.push_back(queue);
  });
  return queue;
}

std::vector<std::shared_ptr<Device::Impl>> open_devices() {
  return devices().with([](const auto &opened) { return opened; });
}

Device Device::default_device() {
  const std::string &wanted = preferences().device;
  return Device(first_device().get("default", [&] { return open_device(wanted); }));
}

std::vector<Device> Device::all() {
  platform::check_process();
  std::vector<Device> handles;
  for (auto &impl : find_devices())
    handles.emplace_back(std::move(impl));
  return handles;
}

std::string Device::name() const { return impl_->name; }
uint64_t Device::registry_id() const { return impl_->registry_id; }
bool Device::has_unified_memory() const { return impl_->has_unified_memory; }
std::size_t Device::max_buffer_length() const { return impl_->max_buffer_length; }
std::size_t Device::max_threadgroup_memory_length() const {
  return impl_->max_threadgroup_memory_length;
}
std::size_t Device::max_threads_per_threadgroup() const { return impl_->max_group_size[0]; }

std::size_t Device::current_allocated_size() const {
  const objc::AutoreleasePool pool;
  return [impl_->metal.get() currentAllocatedSize];
}

std::size_t Device::recommended_max_working_set_size() const {
  const objc::AutoreleasePool pool;
  return [impl_->metal.get() recommendedMaxWorkingSetSize];
}

Library Device::compile(std::string_view source, const CompileOptions &options) const {
  platform::check_process();
  return Library(impl_->libraries.get({with_headers(source, options.headers), options.macros,
                                       options.math_mode.value_or(preferences().math_mode),
                                       options.enable_logging}));
}

Library Device::load_library(const std::filesystem::path &path) const {
  platform::check_process();
  const fork::Section section;
  return Library(open_library(impl_, path, /*keeps_pipelines=*/true));
}

Queue Device::make_queue() const {
  platform::check_process();
  return Queue(impl_->make_queue());
}

} // namespace metalcore
