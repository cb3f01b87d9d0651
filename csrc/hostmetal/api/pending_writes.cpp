#include "hostmetal/api/pending_writes.hpp"

#include "support/fork.hpp"
#include "support/guarded.hpp"
#include "support/log.hpp"

#include <chrono>
#include <exception>
#include <system_error>
#include <thread>

namespace hostmetal::api {

namespace {

using namespace std::chrono_literals;

constexpr auto longest_wait = 150ms;

/// Writes of this process that have not ended. A forked child has none of its parent's.
struct Pending {
  uint64_t generation = 0;
  unsigned writes = 0;
};

// Neither is ever destroyed: threads may use them while static objects go. No fork cuts into their
// making.
metalcore::Guarded<Pending> &pending() {
  const metalcore::fork::Section section;
  static metalcore::Guarded<Pending> &instance = *new metalcore::Guarded<Pending>;
  return instance;
}

TaskQueue &queue() {
  const metalcore::fork::Section section;
  static TaskQueue &instance = *new TaskQueue("hostmetal cache", 1);
  return instance;
}

void count(int change) {
  pending().with([&](Pending &pending) {
    const uint64_t present = metalcore::fork::generation();
    if (pending.generation != present)
      pending = {present, 0};
    pending.writes += static_cast<unsigned>(change);
  });
}

bool is_idle() {
  return pending().with([](const Pending &pending) {
    return pending.generation != metalcore::fork::generation() || pending.writes == 0;
  });
}

/// Its destruction, at the end of the process, waits.
struct Finish {
  ~Finish() {
    const auto deadline = std::chrono::steady_clock::now() + longest_wait;
    while (!is_idle() && std::chrono::steady_clock::now() < deadline)
      std::this_thread::sleep_for(1ms);
  }
};

} // namespace

void write_in_background(TaskQueue::Task write) {
  {
    const metalcore::fork::Section section;
    static const Finish finish;
  }
  count(1);
  try {
    queue().post([write = std::move(write)] {
      try {
        write();
      } catch (const std::exception &exception) {
        metalcore::log::debug(std::string("A cached file was not written: ") + exception.what());
      }
      count(-1);
    });
  } catch (const std::system_error &) {
    count(-1);
  }
}

} // namespace hostmetal::api
