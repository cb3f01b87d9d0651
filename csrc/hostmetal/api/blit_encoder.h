#pragma once

#import "hostmetal/api/command_encoder.h"

/// Encodes copies and fills.
@interface HMBlitCommandEncoder : HMCommandEncoder <MTLBlitCommandEncoder>

- (instancetype)initWithDevice:(HMDevice *)device
                     recording:(std::shared_ptr<hostmetal::api::Recording>)recording;

@end
