#pragma once

#include <string>

namespace hostmetal::image {

/// Names what code generation knows of this CPU: code that was compiled for one of the same name
/// runs here. The same in every process, on every core.
const std::string &host_identity();

} // namespace hostmetal::image
