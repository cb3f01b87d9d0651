#import "hostmetal/api/argument_encoder.h"

#import "hostmetal/api/buffer.h"
#import "hostmetal/api/device.h"
#include "hostmetal/api/own_class.hpp"
#include "hostmetal/api/text.hpp"

#include <cstring>

using hostmetal::api::ArgumentLayout;
using hostmetal::api::ArgumentSlot;
using hostmetal::api::own;
using metalcore::objc::Retained;

namespace {

// Bytes of a pointer in an argument buffer.
constexpr uint64_t address_size = 8;

ArgumentSlot::Kind kind_of(MTLDataType type) {
  switch (type) {
  case MTLDataTypePointer:
    return ArgumentSlot::Kind::buffer;
  case MTLDataTypeVisibleFunctionTable:
    return ArgumentSlot::Kind::function_table;
  default:
    return ArgumentSlot::Kind::value;
  }
}

NSString *name_of(ArgumentSlot::Kind kind) {
  switch (kind) {
  case ArgumentSlot::Kind::value:
    return @"value";
  case ArgumentSlot::Kind::buffer:
    return @"buffer";
  case ArgumentSlot::Kind::function_table:
    return @"function table";
  }
}

/// Raises an exception where something else is at the index.
void require_kind(const ArgumentSlot &slot, ArgumentSlot::Kind kind, NSUInteger index,
                  SEL selector) {
  if (slot.kind != kind)
    [NSException raise:NSInvalidArgumentException
                format:@"-%@ was given index %lu of an argument buffer, where a %@ is.",
                       NSStringFromSelector(selector), (unsigned long)index, name_of(slot.kind)];
}

} // namespace

@implementation HMArgumentEncoder

@synthesize label = _label;

- (instancetype)initWithDevice:(HMDevice *)device
                        layout:(std::shared_ptr<const ArgumentLayout>)layout {
  if ((self = [super init])) {
    _device = Retained<HMDevice *>::retain(device);
    _layout = std::move(layout);
  }
  return self;
}

- (void)dealloc {
  [_label release];
  [super dealloc];
}

- (id<MTLDevice>)device {
  return _device.get();
}

- (NSUInteger)encodedLength {
  return _layout->size();
}

- (NSUInteger)alignment {
  return _layout->alignment();
}

- (void)setArgumentBuffer:(id<MTLBuffer>)argumentBuffer offset:(NSUInteger)offset {
  _buffer = {};
  _start = nullptr;
  if (!argumentBuffer)
    return;
  HMBuffer *const buffer = own<HMBuffer>(argumentBuffer);
  if (!buffer || ![buffer contents])
    [NSException raise:NSInvalidArgumentException
                format:@"The argument buffer is %@.",
                       buffer ? @"one of private storage, which the CPU cannot write"
                              : @"not of this device"];
  const NSUInteger length = [buffer length];
  if (offset > length || _layout->size() > length - offset)
    [NSException
         raise:NSRangeException
        format:@"An argument buffer of %lu bytes from offset %lu on goes beyond the length "
               @"(%lu) of its buffer.",
               (unsigned long)_layout->size(), (unsigned long)offset, (unsigned long)length];
  if (offset % _layout->alignment() != 0)
    [NSException raise:NSInvalidArgumentException
                format:@"The offset of an argument buffer (%lu) is not a multiple of its alignment "
                       @"(%lu).",
                       (unsigned long)offset, (unsigned long)_layout->alignment()];
  _buffer = Retained<HMBuffer *>::retain(buffer);
  _start = [buffer hm_address] + offset;
}

- (void)setArgumentBuffer:(id<MTLBuffer>)argumentBuffer
              startOffset:(NSUInteger)startOffset
             arrayElement:(NSUInteger)arrayElement {
  NSUInteger offset = 0;
  if (__builtin_mul_overflow(arrayElement, static_cast<NSUInteger>(_layout->size()), &offset) ||
      __builtin_add_overflow(offset, startOffset, &offset))
    offset = NSUIntegerMax;
  [self setArgumentBuffer:argumentBuffer offset:offset];
}

/// The bytes of the element with that index, and its slot; raises an exception where there is none.
- (uint8_t *)hm_placeAtIndex:(NSUInteger)index
                        slot:(const ArgumentSlot **)slot
                    selector:(SEL)selector {
  if (!_start)
    [NSException raise:NSInvalidArgumentException
                format:@"-%@ was called before an argument buffer was set.",
                       NSStringFromSelector(selector)];
  *slot = _layout->find(index);
  if (!*slot)
    [NSException raise:NSRangeException
                format:@"-%@ was given index %lu, which the argument buffer does not have.",
                       NSStringFromSelector(selector), (unsigned long)index];
  return _start + (*slot)->offset + (index - (*slot)->index) * (*slot)->size;
}

- (void)setBuffer:(id<MTLBuffer>)buffer offset:(NSUInteger)offset atIndex:(NSUInteger)index {
  const ArgumentSlot *slot = nullptr;
  uint8_t *const place = [self hm_placeAtIndex:index slot:&slot selector:_cmd];
  require_kind(*slot, ArgumentSlot::Kind::buffer, index, _cmd);
  uint64_t address = 0;
  if (buffer) {
    HMBuffer *const bound = own<HMBuffer>(buffer);
    if (!bound)
      [NSException raise:NSInvalidArgumentException
                  format:@"The buffer for index %lu of an argument buffer is not of this device.",
                         (unsigned long)index];
    if (offset > [bound length])
      [NSException
           raise:NSRangeException
          format:@"The offset (%lu) at index %lu of an argument buffer is beyond the length "
                 @"(%lu) of the buffer.",
                 (unsigned long)offset, (unsigned long)index, (unsigned long)[bound length]];
    address = [bound gpuAddress] + offset;
  }
  std::memcpy(place, &address, sizeof(address));
}

- (void)setBuffers:(const id<MTLBuffer> *)buffers
           offsets:(const NSUInteger *)offsets
         withRange:(NSRange)range {
  for (NSUInteger at = 0; at < range.length; ++at)
    [self setBuffer:buffers[at] offset:offsets[at] atIndex:range.location + at];
}

- (void)setVisibleFunctionTable:(id<MTLVisibleFunctionTable>)visibleFunctionTable
                        atIndex:(NSUInteger)index {
  const ArgumentSlot *slot = nullptr;
  uint8_t *const place = [self hm_placeAtIndex:index slot:&slot selector:_cmd];
  require_kind(*slot, ArgumentSlot::Kind::function_table, index, _cmd);
  const MTLResourceID table =
      visibleFunctionTable ? [visibleFunctionTable gpuResourceID] : MTLResourceID{};
  std::memcpy(place, &table, sizeof(table));
}

- (void)setVisibleFunctionTables:(const id<MTLVisibleFunctionTable> *)visibleFunctionTables
                       withRange:(NSRange)range {
  for (NSUInteger at = 0; at < range.length; ++at)
    [self setVisibleFunctionTable:visibleFunctionTables[at] atIndex:range.location + at];
}

- (void *)constantDataAtIndex:(NSUInteger)index {
  const ArgumentSlot *slot = nullptr;
  uint8_t *const place = [self hm_placeAtIndex:index slot:&slot selector:_cmd];
  require_kind(*slot, ArgumentSlot::Kind::value, index, _cmd);
  return place;
}

- (id<MTLArgumentEncoder>)newArgumentEncoderForBufferAtIndex:(NSUInteger)index {
  const ArgumentSlot *const slot = _layout->find(index);
  if (!slot || !slot->pointee || !slot->pointee->is_argument_buffer ||
      slot->pointee->members.empty())
    return nil;
  return [[HMArgumentEncoder alloc]
      initWithDevice:_device.get()
              layout:std::make_shared<const ArgumentLayout>(
                         slot->pointee->members, slot->pointee->size, slot->pointee->alignment)];
}

@end

namespace hostmetal::api {

id<MTLArgumentEncoder> make_argument_encoder(HMDevice *device,
                                             NSArray<MTLArgumentDescriptor *> *arguments) {
  std::vector<ArgumentSlot> slots;
  for (MTLArgumentDescriptor *argument in arguments) {
    const auto kind = kind_of([argument dataType]);
    const bool is_value = kind == ArgumentSlot::Kind::value;
    const DataExtent extent = is_value
                                  ? extent_of(static_cast<image::DataType>([argument dataType]))
                                  : DataExtent{address_size, address_size};
    const NSUInteger alignment = is_value ? [argument constantBlockAlignment] : 0;
    if (extent.size == 0 || (alignment & (alignment - 1)) != 0)
      return nil;
    slots.push_back({.index = [argument index],
                     .count = std::max<NSUInteger>([argument arrayLength], 1),
                     .size = extent.size,
                     .alignment = std::max<uint64_t>(extent.alignment, alignment),
                     .kind = kind,
                     .pointee = {}});
  }
  if (slots.empty() || has_shared_index(slots))
    return nil;
  return [[HMArgumentEncoder alloc]
      initWithDevice:device
              layout:std::make_shared<const ArgumentLayout>(std::move(slots))];
}

id<MTLArgumentEncoder> make_argument_encoder(HMDevice *device, const image::Argument &argument) {
  if (!argument.is_argument_buffer || argument.members.empty())
    [NSException raise:NSInvalidArgumentException
                format:@"Buffer \"%@\" at index %lu is no argument buffer.",
                       to_string(argument.name), (unsigned long)argument.index];
  return [[HMArgumentEncoder alloc]
      initWithDevice:device
              layout:std::make_shared<const ArgumentLayout>(argument.members, argument.type_size,
                                                            argument.type_alignment)];
}

} // namespace hostmetal::api
