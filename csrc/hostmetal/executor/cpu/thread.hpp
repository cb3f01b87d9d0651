#pragma once

#include "support/linux/context.hpp"

#include <chrono>
#include <functional>
#include <string>
#include <thread>

namespace hostmetal::cpu {

/// Starts a thread of the executor's: named (at most 15 characters are shown), with the default
/// floating-point environment, and deaf to the signals that the program handles. Throws
/// std::system_error.
std::thread start_thread(const std::string &name, std::function<void()> body);

/// True where a thread that spins does not keep the only CPU from the one that it waits for.
bool can_spin();

/// Waits for `is_ready` for so short a time that going to sleep would cost more; returns its last
/// answer.
template <typename Condition> bool spin_until(Condition is_ready, std::chrono::microseconds limit) {
  if (is_ready())
    return true;
  if (!can_spin())
    return false;
  const auto end = std::chrono::steady_clock::now() + limit;
  do {
    for (int i = 0; i < 32; ++i) {
      metalcore::relax();
      if (is_ready())
        return true;
    }
    // Others may need this CPU more.
    std::this_thread::yield();
  } while (std::chrono::steady_clock::now() < end);
  return is_ready();
}

} // namespace hostmetal::cpu
