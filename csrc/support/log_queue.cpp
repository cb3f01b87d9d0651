#include "support/log_queue.hpp"

#include <chrono>

namespace metalcore::log {

Queue::Queue(std::size_t capacity, std::function<bool()> wake)
    : capacity_(capacity), wake_(std::move(wake)) {}

void Queue::State::refresh() {
  if (generation == fork::generation())
    return;
  generation = fork::generation();
  messages.clear();
  is_awake = false;
}

bool Queue::push(Level level, std::string_view text) {
  const std::chrono::duration<double> time = std::chrono::system_clock::now().time_since_epoch();
  Message message{level, std::string(text), time.count()};
  return state_.with([&](State &state) {
    state.refresh();
    if (state.is_closed || state.messages.size() >= capacity_)
      return false;
    state.messages.push_back(std::move(message));
    if (!state.is_awake)
      state.is_awake = wake_();
    return true;
  });
}

std::optional<Message> Queue::pop() {
  return state_.with([](State &state) -> std::optional<Message> {
    state.refresh();
    if (state.messages.empty())
      return std::nullopt;
    Message message = std::move(state.messages.front());
    state.messages.pop_front();
    return message;
  });
}

std::size_t Queue::begin_delivery() {
  return state_.with([](State &state) {
    state.refresh();
    state.is_awake = false;
    return state.messages.size();
  });
}

void Queue::close() {
  state_.with([](State &state) { state.is_closed = true; });
}

} // namespace metalcore::log
