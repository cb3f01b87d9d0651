#pragma once

#import "hostmetal/api/command_encoder.h"
#include "hostmetal/api/validation.hpp"

@class HMComputePipelineState;

/// Encodes kernels. What is bound stays bound from one dispatch to the next.
@interface HMComputeCommandEncoder : HMCommandEncoder <MTLComputeCommandEncoder> {
@private
  MTLDispatchType dispatchType_;
  HMComputePipelineState *pipeline_;         // the recording keeps it alive
  hostmetal::api::ComputeBindings bindings_; // and these buffers
}

- (instancetype)initWithDevice:(HMDevice *)device
                     recording:(std::shared_ptr<hostmetal::api::Recording>)recording
                  dispatchType:(MTLDispatchType)dispatchType;

@end
