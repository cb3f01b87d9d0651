#include "metalcore/log.hpp"

#include "support/fork.hpp"
#include "support/log_queue.hpp"

#include <memory>

namespace metalcore {

namespace {

constexpr std::size_t most_messages = 1024;

// Leaked on purpose: a thread may log while the process ends.
Guarded<std::shared_ptr<log::Queue>> &current_queue() {
  const fork::Section section; // the initialisation has a lock
  static auto &queue = *new Guarded<std::shared_ptr<log::Queue>>;
  return queue;
}

std::shared_ptr<log::Queue> queue() {
  return current_queue().with([](const auto &queue) { return queue; });
}

log::Level level_of(LogLevel level) {
  return static_cast<log::Level>(level); // the same values, without "off"
}

} // namespace

void write_log(LogLevel level, std::string_view text) noexcept {
  log::write(level_of(level), text);
}

void write_log_to_stderr(LogLevel level, std::string_view text) noexcept {
  log::write_to_stderr(level_of(level), text);
}

void queue_log_messages(std::function<bool()> wake) {
  const auto queue = std::make_shared<log::Queue>(most_messages, std::move(wake));
  current_queue().with([&](auto &current) { current = queue; });
  log::set_sink([queue](log::Level level, std::string_view text) {
    if (!queue->push(level, text))
      log::write_to_stderr(level, text);
  });
}

std::size_t begin_log_delivery() {
  const auto current = queue();
  return current ? current->begin_delivery() : 0;
}

std::optional<LogMessage> next_log_message() {
  const auto current = queue();
  auto message = current ? current->pop() : std::nullopt;
  if (!message)
    return std::nullopt;
  return LogMessage{static_cast<LogLevel>(message->level), std::move(message->text), message->time};
}

void close_log_queue() {
  if (const auto current = queue())
    current->close();
}

} // namespace metalcore
