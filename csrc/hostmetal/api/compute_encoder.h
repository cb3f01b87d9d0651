#pragma once

#import "hostmetal/api/command_encoder.h"
#include "hostmetal/api/validation.hpp"

@class HMComputePipelineState;

/// Encodes kernels. What is bound stays bound from one dispatch to the next.
@interface HMComputeCommandEncoder : HMCommandEncoder <MTLComputeCommandEncoder> {
@private
  MTLDispatchType _dispatchType;
  HMComputePipelineState *_pipeline;         // the recording keeps it alive
  hostmetal::api::ComputeBindings _bindings; // and these buffers
}

- (instancetype)initWithDevice:(HMDevice *)device
                     recording:(std::shared_ptr<hostmetal::api::Recording>)recording
                  dispatchType:(MTLDispatchType)dispatchType;

@end
