#pragma once

#include "metalcore/export.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace metalcore {

// Messages of this library: one line each on standard error, unless a receiver asks for them. What
// is below the preference "log_level" is not made at all.

enum class LogLevel : uint8_t { debug, info, warning, error };

struct LogMessage {
  LogLevel level;
  std::string text; ///< one line, without its end
  double time;      ///< seconds since 1970
};

/// Writes one message like those of the library itself. Any thread.
METALCORE_API void write_log(LogLevel level, std::string_view text) noexcept;
/// Writes one line to standard error, whatever `log_level` says. Any thread.
METALCORE_API void write_log_to_stderr(LogLevel level, std::string_view text) noexcept;

/// From here on messages are kept, a bounded number, for whoever calls next_log_message; what finds
/// no room goes to standard error. `wake` is called, on a thread that logs and under a lock, when
/// messages wait that nobody was woken for; false: nobody will come, ask again. It must do next to
/// nothing. In a forked child the parent's messages are gone: the parent delivers them. Any thread.
METALCORE_API void queue_log_messages(std::function<bool()> wake);
/// How many messages wait; a later one wakes again. Any thread.
METALCORE_API std::size_t begin_log_delivery();
/// The oldest message that waits; empty when there is none. Any thread.
METALCORE_API std::optional<LogMessage> next_log_message();
/// From here on messages go to standard error again; those that wait stay. Any thread.
METALCORE_API void close_log_queue();

} // namespace metalcore
