#pragma once

#include <functional>

namespace hostmetal::cpu {

/// Runs `call` soon, after those posted before, on a thread that exists for this. Thread-safe.
/// Throws std::system_error when that thread cannot be started.
void post_notification(std::function<void()> call);

} // namespace hostmetal::cpu
