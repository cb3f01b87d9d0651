#pragma once

#include "metalcore/warmup.hpp"

namespace metalcore {

/// Adds how many kernels were asked for, and are done, to a report.
void describe_kernel_builds(WarmupReport &report);

} // namespace metalcore
