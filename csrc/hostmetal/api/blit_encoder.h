#pragma once

#import "hostmetal/api/command_encoder.h"

/// Encodes copies, fills and mipmaps.
@interface HMBlitCommandEncoder : HMCommandEncoder <MTLBlitCommandEncoder>

- (instancetype)initWithDevice:(HMDevice *)device
                     recording:(std::shared_ptr<hostmetal::api::Recording>)recording;

@end
