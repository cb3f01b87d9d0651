#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace metalcore::log {

enum class Level : uint8_t { debug, info, warning, error, off };

/// "debug" … "off"; empty for any other text.
std::optional<Level> level_of(std::string_view name) noexcept;
std::string_view level_name(Level level) noexcept;

/// What is below it is dropped. At first: warning. Any thread.
void set_threshold(Level level) noexcept;
Level threshold() noexcept;

using Sink = std::function<void(Level, std::string_view)>;
/// Where messages go instead of standard error; empty: back to standard error. Any thread. The sink
/// is called on the thread that logs, several at once, and outside of every lock of this library.
void set_sink(Sink sink);

/// Writes the line to standard error, whatever the threshold and the sink. Any thread.
void write_to_stderr(Level level, std::string_view message) noexcept;

/// Writes one line, `metalcore: warning: <message>`. Never throws. Not from inside a Guarded::with
/// or a fork::Section: a sink may need a lock of its own. Any thread.
void write(Level level, std::string_view message) noexcept;

inline void debug(std::string_view message) noexcept {
  write(Level::debug, message);
}
inline void info(std::string_view message) noexcept {
  write(Level::info, message);
}
inline void warning(std::string_view message) noexcept {
  write(Level::warning, message);
}
inline void error(std::string_view message) noexcept {
  write(Level::error, message);
}

} // namespace metalcore::log
