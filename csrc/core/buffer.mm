#include "core/buffer_impl.hpp"

#include "core/device_impl.hpp"
#include "core/platform.hpp"
#include "metalcore/error.hpp"
#include "objc/autorelease_pool.hpp"

#include <algorithm>
#include <stdexcept>

#include <unistd.h>

namespace metalcore {

using objc::Retained;

namespace {

std::string bytes_text(std::size_t count) { return std::to_string(count) + " bytes"; }

void check_length(const Device::Impl &device, std::size_t length) {
  if (length > device.max_buffer_length)
    throw Error(ErrorKind::memory,
                "Buffer length (" + bytes_text(length) + ") is larger than the limit (" +
                    bytes_text(device.max_buffer_length) + ") of device \"" + device.name + "\".");
}

[[noreturn]] void throw_no_memory(const Device::Impl &device, std::size_t length) {
  throw Error(ErrorKind::memory, "Device \"" + device.name + "\" has no memory for a buffer of " +
                                     bytes_text(length) + '.');
}

void check_pages(const void *data, std::size_t length) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  if (!data || reinterpret_cast<uintptr_t>(data) % page != 0)
    throw std::invalid_argument(
        "Memory to wrap must begin on a page of " + bytes_text(page) + ", but begins " +
        bytes_text(reinterpret_cast<uintptr_t>(data) % page) + " after one.");
  if (length == 0 || length % page != 0)
    throw std::invalid_argument("Length (" + bytes_text(length) +
                                ") of memory to wrap is not a multiple of the page size (" +
                                bytes_text(page) + ").");
}

} // namespace

Buffer Device::make_buffer(std::size_t length, StorageMode mode) const {
  platform::check_process();
  check_length(*impl_, length);
  const fork::Section section;
  const objc::AutoreleasePool pool;
  const bool is_private = mode == StorageMode::private_;
  auto buffer = Retained<id<MTLBuffer>>::adopt([impl_->metal.get()
      newBufferWithLength:std::max<std::size_t>(length, 1)
                  options:is_private ? MTLResourceStorageModePrivate
                                     : MTLResourceStorageModeShared]);
  if (!buffer)
    throw_no_memory(*impl_, length);
  void *contents = is_private ? nullptr : [buffer.get() contents];
  return Buffer(std::make_shared<Buffer::Impl>(impl_, std::move(buffer), length, mode, contents));
}

Buffer Device::wrap(void *data, std::size_t length, std::function<void()> release) const {
  platform::check_process();
  check_pages(data, length);
  check_length(*impl_, length);
  const fork::Section section;
  const objc::AutoreleasePool pool;
  // Shared, so that what the function holds is let go of with the block's last copy, not sooner.
  const auto shared = std::make_shared<const std::function<void()>>(std::move(release));
  auto buffer = Retained<id<MTLBuffer>>::adopt([impl_->metal.get()
      newBufferWithBytesNoCopy:data
                        length:length
                       options:MTLResourceStorageModeShared
                   deallocator:^(void *, NSUInteger) {
                     if (*shared)
                       (*shared)();
                   }]);
  if (!buffer)
    throw_no_memory(*impl_, length);
  return Buffer(
      std::make_shared<Buffer::Impl>(impl_, std::move(buffer), length, StorageMode::shared, data));
}

std::size_t Buffer::length() const { return impl_->length; }
StorageMode Buffer::storage_mode() const { return impl_->storage_mode; }
void *Buffer::contents() const { return impl_->contents; }
Device Buffer::device() const { return Device(impl_->device); }

} // namespace metalcore
