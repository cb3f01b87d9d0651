#include "support/log.hpp"

#include "support/fork.hpp"
#include "support/guarded.hpp"

#include <array>
#include <atomic>
#include <cstdio>
#include <memory>

namespace metalcore::log {

namespace {

constexpr std::array<std::string_view, 5> names = {"debug", "info", "warning", "error", "off"};

constinit std::atomic<Level> lowest = Level::warning;

// Leaked on purpose: a thread may log while the process ends.
Guarded<std::shared_ptr<const Sink>> &current_sink() {
  const fork::Section section; // the initialisation has a lock
  static auto &sink = *new Guarded<std::shared_ptr<const Sink>>;
  return sink;
}

} // namespace

std::optional<Level> level_of(std::string_view name) noexcept {
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i] == name)
      return static_cast<Level>(i);
  return std::nullopt;
}

std::string_view level_name(Level level) noexcept {
  return names[static_cast<std::size_t>(level)];
}

void set_threshold(Level level) noexcept {
  lowest = level;
}
Level threshold() noexcept {
  return lowest;
}

void set_sink(Sink sink) {
  auto next = sink ? std::make_shared<const Sink>(std::move(sink)) : nullptr;
  // The old one goes outside of the lock: its destructor is the caller's code.
  current_sink().with([&](auto &current) { current.swap(next); });
}

void write_to_stderr(Level level, std::string_view message) noexcept {
  try {
    std::string line = "metalcore: ";
    line.append(level_name(level)).append(": ").append(message).append("\n");
    std::fwrite(line.data(), 1, line.size(), stderr);
  } catch (...) {
    // There is nowhere left to say it.
  }
}

void write(Level level, std::string_view message) noexcept {
  if (level < lowest.load() || level == Level::off)
    return;
  try {
    const auto sink = current_sink().with([](const auto &current) { return current; });
    if (sink) {
      (*sink)(level, message);
      return;
    }
    write_to_stderr(level, message);
  } catch (...) {
    // There is nowhere left to say it.
  }
}

} // namespace metalcore::log
