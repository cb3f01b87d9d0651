#import "hostmetal/api/blit_encoder.h"

#import "hostmetal/api/buffer.h"
#include "hostmetal/api/own_class.hpp"
#include "hostmetal/api/validation.hpp"

using hostmetal::api::EncoderTarget;
using hostmetal::api::own;
using hostmetal::api::Problem;

@implementation HMBlitCommandEncoder

- (instancetype)initWithDevice:(HMDevice *)device
                     recording:(std::shared_ptr<hostmetal::api::Recording>)recording {
  return [super initWithDevice:device recording:std::move(recording) kind:"blit"];
}

- (void)synchronizeResource:(id<MTLResource>)resource {
  const EncoderTarget target = [self hm_targetFor:_cmd];
  HMResource *const own_resource = own<HMResource>(resource);
  if (!own_resource)
    return target.fail("The resource to synchronize is nil or not of this device.");
  if ([own_resource storageMode] != MTLStorageModeManaged)
    return target.fail("The resource to synchronize has storage mode " +
                       std::to_string([own_resource storageMode]) +
                       "; only managed storage (1) has a copy to synchronize.");
  // Host and device share the one copy: ordering, which the queue gives, is all there is to do.
  target.recording.keep(own_resource);
}

- (void)copyFromBuffer:(id<MTLBuffer>)sourceBuffer
          sourceOffset:(NSUInteger)sourceOffset
              toBuffer:(id<MTLBuffer>)destinationBuffer
     destinationOffset:(NSUInteger)destinationOffset
                  size:(NSUInteger)size {
  const EncoderTarget target = [self hm_targetFor:_cmd];
  HMBuffer *const source = own<HMBuffer>(sourceBuffer);
  HMBuffer *const destination = own<HMBuffer>(destinationBuffer);
  if (!source || !destination)
    return target.fail(std::string("The ") + (source ? "destination" : "source") +
                       " buffer of a copy is nil or not of this device.");
  if (Problem problem =
          hostmetal::api::check_range("The source of a copy", sourceOffset, size, [source length]))
    return target.fail(std::move(*problem));
  if (Problem problem = hostmetal::api::check_range("The destination of a copy", destinationOffset,
                                                    size, [destination length]))
    return target.fail(std::move(*problem));
  uint8_t *const from = [source hm_address] + sourceOffset;
  uint8_t *const to = [destination hm_address] + destinationOffset;
  if (Problem problem = hostmetal::api::check_overlap(from, to, size))
    return target.fail(std::move(*problem));
  if (size == 0)
    return;
  target.recording.keep(source);
  target.recording.keep(destination);
  target.recording.add(hostmetal::Copy{to, from, size});
}

- (void)fillBuffer:(id<MTLBuffer>)buffer range:(NSRange)range value:(uint8_t)value {
  const EncoderTarget target = [self hm_targetFor:_cmd];
  HMBuffer *const filled = own<HMBuffer>(buffer);
  if (!filled)
    return target.fail("The buffer to fill is nil or not of this device.");
  if (Problem problem =
          hostmetal::api::check_range("A fill", range.location, range.length, [filled length]))
    return target.fail(std::move(*problem));
  if (range.length == 0)
    return;
  target.recording.keep(filled);
  target.recording.add(hostmetal::Fill{[filled hm_address] + range.location, value, range.length});
}

@end
