#import "hostmetal/api/buffer.h"

#import "hostmetal/api/device.h"
#import "hostmetal/api/texture.h"

#include <cstring>
#include <new>
#include <utility>

#include <unistd.h>

using hostmetal::api::Block;
using hostmetal::api::BufferDeallocator;
using hostmetal::api::DebugMarker;
using metalcore::objc::Retained;

namespace {

NSUInteger page_size() { return static_cast<NSUInteger>(sysconf(_SC_PAGESIZE)); }

NSUInteger round_up_to_page(NSUInteger size) {
  return (size + page_size() - 1) / page_size() * page_size();
}

void require_range(HMBuffer *buffer, NSRange range, SEL selector) {
  const NSUInteger length = [buffer length];
  if (range.location > length || range.length > length - range.location)
    [NSException
         raise:NSRangeException
        format:@"-%@ was given %lu bytes from offset %lu on, beyond the buffer's %lu bytes.",
               NSStringFromSelector(selector), (unsigned long)range.length,
               (unsigned long)range.location, (unsigned long)length];
}

} // namespace

@implementation HMBuffer

- (instancetype)initWithDevice:(HMDevice *)device
                    allocation:(std::unique_ptr<hostmetal::Allocation>)allocation
                        length:(NSUInteger)length
                       options:(MTLResourceOptions)options
                   deallocator:(BufferDeallocator)deallocator {
  if ((self = [super initWithDevice:device
                            options:options
                      allocatedSize:round_up_to_page(length)])) {
    _allocation = std::move(allocation);
    _length = length;
    _deallocator = Block<BufferDeallocator>(deallocator);
  }
  return self;
}

- (void)dealloc {
  void *const pointer = _allocation->host_pointer();
  _allocation.reset();
  if (_deallocator)
    _deallocator(pointer, _length);
  [super dealloc];
}

- (uint8_t *)hm_address {
  return static_cast<uint8_t *>(_allocation->host_pointer());
}

- (NSUInteger)length {
  return _length;
}

- (void *)contents {
  return [self storageMode] == MTLStorageModePrivate ? nullptr : _allocation->host_pointer();
}

- (uint64_t)gpuAddress {
  return reinterpret_cast<uintptr_t>(_allocation->host_pointer());
}

- (void)didModifyRange:(NSRange)range {
  if ([self storageMode] != MTLStorageModeManaged)
    [NSException raise:NSInvalidArgumentException
                format:@"-didModifyRange: needs a buffer with managed storage, not mode %lu.",
                       (unsigned long)[self storageMode]];
  require_range(self, range, _cmd);
  _allocation->host_touched(range.location, range.length);
}

- (void)addDebugMarker:(NSString *)marker range:(NSRange)range {
  require_range(self, range, _cmd);
  DebugMarker added{Retained<NSString *>::adopt([marker copy]), range};
  std::lock_guard lock(_markersMutex);
  _markers.push_back(std::move(added));
}

- (void)removeAllDebugMarkers {
  std::lock_guard lock(_markersMutex);
  _markers.clear();
}

- (id<MTLTexture>)newTextureWithDescriptor:(MTLTextureDescriptor *)descriptor
                                    offset:(NSUInteger)offset
                               bytesPerRow:(NSUInteger)bytesPerRow {
  return hostmetal::api::make_texture(static_cast<HMDevice *>([self device]), descriptor, self,
                                      offset, bytesPerRow);
}

- (NSString *)description {
  NSMutableString *text =
      [NSMutableString stringWithFormat:@"<%@ %p: label \"%@\", %lu bytes", [self class], self,
                                        [self label] ?: @"", (unsigned long)_length];
  std::lock_guard lock(_markersMutex);
  for (const DebugMarker &marker : _markers)
    [text appendFormat:@", \"%@\" at %@", marker.text.get(), NSStringFromRange(marker.range)];
  [text appendString:@">"];
  return text;
}

@end

namespace hostmetal::api {

id<MTLBuffer> make_buffer(HMDevice *device, const void *bytes, NSUInteger length,
                          MTLResourceOptions options) {
  if (length == 0 || length > [device maxBufferLength] || !are_buffer_options(options))
    return nil;
  const auto mode = static_cast<hostmetal::StorageMode>((options & MTLResourceStorageModeMask) >>
                                                        MTLResourceStorageModeShift);
  try {
    std::unique_ptr<hostmetal::Allocation> allocation =
        [device hm_executor]->allocate(length, mode);
    if (bytes) {
      std::memcpy(allocation->host_pointer(), bytes, length);
      allocation->host_touched(0, length);
    }
    return [[HMBuffer alloc] initWithDevice:device
                                 allocation:std::move(allocation)
                                     length:length
                                    options:options
                                deallocator:nil];
  } catch (const std::bad_alloc &) {
    return nil;
  }
}

id<MTLBuffer> make_buffer_no_copy(HMDevice *device, void *pointer, NSUInteger length,
                                  MTLResourceOptions options, BufferDeallocator deallocator) {
  const bool is_private = (options & MTLResourceStorageModeMask) == MTLResourceStorageModePrivate;
  if (!pointer || reinterpret_cast<uintptr_t>(pointer) % page_size() != 0 || length == 0 ||
      length % page_size() != 0 || length > [device maxBufferLength] ||
      !are_buffer_options(options) || is_private)
    return nil;
  try {
    return [[HMBuffer alloc] initWithDevice:device
                                 allocation:[device hm_executor]->wrap(pointer, length)
                                     length:length
                                    options:options
                                deallocator:deallocator];
  } catch (const std::bad_alloc &) {
    return nil;
  }
}

} // namespace hostmetal::api
