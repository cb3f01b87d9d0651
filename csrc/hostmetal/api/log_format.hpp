#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace hostmetal::api {

/// The text of a kernel's message. `format` is that of C's printf, and of OpenCL's for vectors
/// (`%v4hlf`); `arguments` lie as HmRuntime::log says. A directive that is of no known form, or for
/// which no argument is left, stands in the text as it is. A string that is not in readable memory
/// is "(unreadable)". Any thread; needs little stack.
std::string format_message(std::string_view format, std::span<const uint8_t> arguments);

} // namespace hostmetal::api
