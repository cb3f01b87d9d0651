#pragma once

#include <span>
#include <string>

namespace hostmetal::image {

/// The address of a function of the C or the math library, from one of the `libraries` that have
/// it. Null, with `error` set, where none does. Asks the dynamic loader, and so may wait for its
/// lock, for all but a few that most kernels call.
void *host_symbol(const std::string &name, std::span<const std::string> libraries,
                  std::string &error);

} // namespace hostmetal::image
