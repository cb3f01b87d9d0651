#pragma once

#include <cstddef>
#include <functional>

#include <pthread.h>

namespace metalcore {

/// A std::thread with a stack as deep as compilers want it, whose recursion follows the source.
class DeepThread {
public:
  /// Address space: pages are taken as the stack grows. Where there is not so much to be had, a
  /// thread has the system's usual stack.
  static constexpr std::size_t stack_size = std::size_t{512} << 20;

  DeepThread() = default;
  /// `body` must not throw. Throws std::system_error where no thread is to be had.
  explicit DeepThread(std::function<void()> body);
  DeepThread(DeepThread &&other) noexcept;
  DeepThread &operator=(DeepThread &&other) noexcept;
  /// A thread must have been joined or detached before.
  ~DeepThread();

  bool joinable() const { return is_joinable_; }
  void join();
  void detach();

private:
  pthread_t handle_{};
  bool is_joinable_ = false;
};

} // namespace metalcore
