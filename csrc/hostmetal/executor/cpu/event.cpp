#include "hostmetal/executor/cpu/event.hpp"

#include "hostmetal/executor/cpu/notifier.hpp"
#include "hostmetal/executor/cpu/thread.hpp"

namespace hostmetal::cpu {
namespace {

using namespace std::chrono_literals;

constexpr auto spin_time = 20us;
// Longer ones do not fit the clock.
constexpr uint64_t max_timeout_ms = 1000ull * 60 * 60 * 24 * 365;

} // namespace

void CpuEvent::signal(uint64_t value) {
  Waiters &waiters = waiters_.get();
  const std::lock_guard lock(waiters.mutex);
  if (value <= this->value())
    return;
  value_.store(value, std::memory_order_release);
  waiters.reached.notify_all();
  const auto end = waiters.callbacks.upper_bound(value);
  for (auto due = waiters.callbacks.begin(); due != end; ++due)
    post_notification([callback = std::move(due->second), value] { callback(value); });
  waiters.callbacks.erase(waiters.callbacks.begin(), end);
}

bool CpuEvent::wait(uint64_t value, uint64_t timeout_ms) {
  const auto is_reached = [&] { return this->value() >= value; };
  if (timeout_ms == 0 || spin_until(is_reached, spin_time))
    return is_reached();
  Waiters &waiters = waiters_.get();
  std::unique_lock lock(waiters.mutex);
  if (timeout_ms > max_timeout_ms) {
    waiters.reached.wait(lock, is_reached);
    return true;
  }
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(timeout_ms);
  return waiters.reached.wait_until(lock, end, is_reached);
}

void CpuEvent::notify(uint64_t value, std::function<void(uint64_t)> callback) {
  Waiters &waiters = waiters_.get();
  const std::lock_guard lock(waiters.mutex);
  const uint64_t present = this->value();
  if (present >= value)
    post_notification([callback = std::move(callback), present] { callback(present); });
  else
    waiters.callbacks.emplace(value, std::move(callback));
}

} // namespace hostmetal::cpu
