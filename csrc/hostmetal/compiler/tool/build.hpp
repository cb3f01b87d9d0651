#pragma once

#include "hostmetal/compiler/tool/options.hpp"

#include <string>

namespace hostmetal::tool {

/// Compiles all kernels of all sources for all targets, on as many threads as there are processors,
/// and writes the container. Returns the diagnostics; `ok` says whether there is an output.
std::string build(const Options &options, bool &ok);

} // namespace hostmetal::tool
