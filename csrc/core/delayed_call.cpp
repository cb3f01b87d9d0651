#include "core/delayed_call.hpp"

namespace metalcore {

using namespace std::chrono_literals;

void DelayedCall::State::refresh() {
  if (generation == fork::generation())
    return;
  const bool was_cancelled = is_cancelled;
  *this = State(); // a Worker of the parent's knows that it is one
  is_cancelled = was_cancelled;
}

void DelayedCall::ask() {
  state_.with([this](State &state) {
    state.refresh();
    if (state.is_asked || state.is_cancelled)
      return;
    if (!state.worker)
      state.worker = std::make_unique<Worker>(name_);
    state.is_asked = state.worker->post([this, cancellation = state.cancellation] {
      if (cancellation.wait_for(delay_) == std::future_status::ready)
        return;
      state_.with([](State &asked) { asked.is_asked = false; });
      call_();
    });
  });
}

void DelayedCall::cancel() noexcept {
  auto worker = state_.with([](State &state) {
    state.refresh();
    if (!std::exchange(state.is_cancelled, true))
      state.cancelled.set_value();
    return std::move(state.worker);
  });
  if (worker)
    worker->stop_within(100ms);
}

} // namespace metalcore
