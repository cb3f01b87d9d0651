#pragma once

#include "support/guarded.hpp"

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// A timeline of the process in Chrome's Trace Event Format, for chrome://tracing and Perfetto: what
// took how long, on which thread. Every event is in the file as soon as it is over, so an abnormal
// end loses none; only the array's end is missing then, which the viewers do not mind.

namespace metalcore::trace {

namespace detail {
extern constinit std::atomic<bool> is_on;
}

/// Whether events are recorded. Costs one load; nothing below costs more while it is false.
inline bool is_on() noexcept {
  return detail::is_on.load(std::memory_order_relaxed);
}

/// Writes to a file from here on, for the rest of the process; "%p" in its name becomes the
/// process's number. Where another living process writes to it, and in forked children, the number
/// is added to the name. Returns what went wrong, one sentence. For one thread, once.
std::optional<std::string> start(const std::filesystem::path &file);
/// Ends the file. Waits, bounded, for threads in the middle of an event. Any thread.
void stop() noexcept;

/// What an event says besides its name, as the inside of a JSON object.
class Arguments {
public:
  Arguments &add(std::string_view name, std::string_view value);
  Arguments &add(std::string_view name, uint64_t value);
  const std::string &json() const { return json_; }

private:
  std::string json_;
};

/// An interval of the calling thread: from here to the end of the scope.
class Span {
public:
  /// `category` is a literal; `name` is copied.
  Span(const char *category, std::string_view name) noexcept {
    if (is_on())
      begin(category, name);
  }
  ~Span() {
    if (category_)
      end();
  }
  Span(const Span &) = delete;
  Span &operator=(const Span &) = delete;

  template <typename Value> void add(std::string_view name, const Value &value) {
    if (category_)
      arguments_.add(name, value);
  }

private:
  void begin(const char *category, std::string_view name) noexcept;
  void end() noexcept;

  const char *category_ = nullptr; ///< null: not recorded
  int64_t begin_ = 0;              ///< nanoseconds
  std::string name_;
  Arguments arguments_;
};

/// A moment of the calling thread.
void instant(const char *category, std::string_view name, const Arguments &arguments = {}) noexcept;

/// A timeline that is no thread, such as a device's queue. Intervals that overlap get lanes of
/// their own. Any thread.
class Track {
public:
  explicit Track(std::string name) : name_(std::move(name)) {}
  /// From `begin` to `end`, in seconds of the clock of host_nanoseconds().
  void interval(const char *category, std::string_view name, double begin, double end,
                const Arguments &arguments = {}) noexcept;

private:
  struct Lane {
    uint64_t number;
    int64_t end; ///< of its last interval, nanoseconds
  };
  struct State {
    uint64_t generation = fork::generation();
    std::vector<Lane> lanes;
  };

  const std::string name_;
  Guarded<State> state_;
};

/// The clock of trace events, and of Metal's GPUStartTime. Any thread.
int64_t host_nanoseconds() noexcept;

} // namespace metalcore::trace
