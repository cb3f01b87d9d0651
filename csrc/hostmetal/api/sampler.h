#pragma once

#import <Metal/Metal.h>

#include "objc/retained.hpp"

@class HMDevice;

/// A sampler. Immutable; any thread.
@interface HMSamplerState : NSObject <MTLSamplerState> {
@private
  metalcore::objc::Retained<HMDevice *> _device;
  uint64_t _word;
  NSString *_label;
}

/// What kernels see: HM_SAMPLER_….
- (uint64_t)hm_word;

@end

namespace hostmetal::api {

/// +1. Raises for a descriptor that no sampler can have.
id<MTLSamplerState> make_sampler(HMDevice *device, MTLSamplerDescriptor *descriptor);
/// The sampler's word with other limits to the level of detail.
uint64_t with_lod_clamp(uint64_t word, float least, float most);

} // namespace hostmetal::api
