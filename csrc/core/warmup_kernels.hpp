#pragma once

#include <initializer_list>
#include <string>
#include <vector>

namespace metalcore {

/// Adds built-in kernels to those whose pipelines the warm-up builds, in order. Called by the
/// operations that launch them, before the warm-up starts; returns true, for use in an initialiser.
bool add_warmup_kernels(std::initializer_list<std::string> kernels);

/// Those that were added.
std::vector<std::string> warmup_kernels();

} // namespace metalcore
