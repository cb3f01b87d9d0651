#pragma once

#include <atomic>
#include <cstdint>

namespace hostmetal::cpu {

/// The number of forks between the first process that loaded this library and this one.
uint32_t fork_generation();

/// A T of this process. A forked child gets a fresh one on first use: threads do not survive a
/// fork, and locks may have been held by them. The parent's stays as it was and is never touched
/// again. Thread-safe; takes no lock.
template <typename T> class PerProcess {
public:
  constexpr PerProcess() = default;
  ~PerProcess() { delete own_node(); }
  PerProcess(const PerProcess &) = delete;
  PerProcess &operator=(const PerProcess &) = delete;

  /// Null when this process has none yet.
  T *peek() {
    Node *node = own_node();
    return node ? &node->value : nullptr;
  }

  T &get() {
    Node *node = node_.load(std::memory_order_acquire);
    const uint32_t generation = fork_generation();
    if (node != nullptr && node->generation == generation)
      return node->value;
    auto *fresh = new Node{generation};
    if (node_.compare_exchange_strong(node, fresh, std::memory_order_acq_rel,
                                      std::memory_order_acquire))
      return fresh->value;
    delete fresh;
    return node->value;
  }

private:
  struct Node {
    uint32_t generation;
    T value{};
  };

  Node *own_node() const {
    Node *node = node_.load(std::memory_order_acquire);
    return node != nullptr && node->generation == fork_generation() ? node : nullptr;
  }

  std::atomic<Node *> node_{nullptr};
};

/// A T that lives until the process ends, so that threads may use it while statics are destroyed.
template <typename T> union Leaked {
  T value;
  constexpr Leaked() : value() {}
  ~Leaked() {}
};

} // namespace hostmetal::cpu
