#pragma once

#include "hostmetal/api/recording.hpp"

namespace hostmetal::api {

/// The error of a command buffer, autoreleased; with the state of each encoder if `options` ask
/// for it.
NSError *make_command_buffer_error(const Fault &fault, const std::vector<EncoderRecord> &encoders,
                                   MTLCommandBufferErrorOption options);

/// The error of a command buffer that the parent of this process runs, autoreleased.
NSError *make_forked_error();

} // namespace hostmetal::api
