#include "support/fork.hpp"

#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>

#include <pthread.h>

namespace metalcore::fork {

namespace {

using namespace std::chrono_literals;

// A fork is the caller's to make: after this long it goes ahead, whatever the other threads do.
constexpr auto longest_wait = 10s;

// One word, so that "nobody is inside" and "the gate is closed" are seen together: the number of
// threads inside a Section, plus closed for every thread that is forking.
constexpr uint32_t closed = 1u << 16;
constinit std::atomic<uint32_t> gate = 0;
constinit std::atomic<uint64_t> forks = 0;
constinit thread_local uint32_t depth = 0;

uint32_t own_share() {
  return depth > 0 ? 1 : 0;
}

void before_fork() {
  gate.fetch_add(closed);
  const auto deadline = std::chrono::steady_clock::now() + longest_wait;
  for (auto pause = 10us; (gate.load() % closed) > own_share();) {
    if (std::chrono::steady_clock::now() > deadline)
      break;
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, std::chrono::microseconds(1ms));
  }
}

void in_parent() {
  gate.fetch_sub(closed);
  gate.notify_all();
}

void in_child() {
  // Whoever else was inside, or was forking too, does not exist here.
  gate.store(own_share());
  forks.fetch_add(1);
}

void watch_forks() {
  static std::once_flag once;
  std::call_once(once, [] { pthread_atfork(before_fork, in_parent, in_child); });
}

// At load, so that the order is that of the libraries: handlers of what this library uses were
// registered earlier, and run after these when the process is about to fork.
[[maybe_unused]] const bool is_watching = (watch_forks(), true);

} // namespace

uint64_t generation() noexcept {
  return forks.load(std::memory_order_relaxed);
}

Section::Section() noexcept {
  if (depth++ > 0)
    return;
  uint32_t seen = gate.load();
  for (;;) {
    if (seen >= closed) {
      gate.wait(seen);
      seen = gate.load();
    } else if (gate.compare_exchange_weak(seen, seen + 1)) {
      return;
    }
  }
}

Section::~Section() {
  if (--depth == 0)
    gate.fetch_sub(1);
}

} // namespace metalcore::fork
