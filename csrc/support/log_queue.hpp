#pragma once

#include "support/guarded.hpp"
#include "support/log.hpp"

#include <deque>
#include <functional>
#include <optional>
#include <string>

namespace metalcore::log {

struct Message {
  Level level;
  std::string text;
  double time; ///< seconds since 1970
};

/// Messages on their way to a receiver that only some threads may call, at some times. Bounded:
/// what finds no room is refused, so that its writer says it in another way. A forked child starts
/// with none: the parent delivers its own. Any thread.
class Queue {
public:
  /// `wake` asks for a delivery, true when it will come; it is called, on a thread that logs, under
  /// the queue's lock, and at most once per delivery.
  Queue(std::size_t capacity, std::function<bool()> wake);

  /// False when the queue is full or closed.
  bool push(Level level, std::string_view text);
  /// The oldest message; empty when there is none.
  std::optional<Message> pop();
  /// How many there are. A message pushed from here on wakes again.
  std::size_t begin_delivery();
  /// Refuses messages from here on.
  void close();

private:
  struct State {
    uint64_t generation = fork::generation();
    std::deque<Message> messages;
    bool is_awake = false; ///< a delivery will come
    bool is_closed = false;

    void refresh();
  };

  const std::size_t capacity_;
  const std::function<bool()> wake_;
  Guarded<State> state_;
};

} // namespace metalcore::log
