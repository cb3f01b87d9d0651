#pragma once

#include <cstddef>
#include <memory>
#include <type_traits>

namespace metalcore {

/// A stack as deep as compilers want it, whose recursion follows the source. What runs on it stays
/// on the calling thread: another one costs a tenth of a small compile, and on a busy machine the
/// scheduler may let it wait for milliseconds.
class DeepStack {
public:
  /// In bytes of address space: pages are taken as the stack grows. Where there is not so much to
  /// be had, a stack has an eighth or a 64th of it.
  static constexpr std::size_t size = std::size_t{512} << 20;

  /// Calls `work`, which must not throw, on a deep stack. A call from within has one of its own.
  /// Throws std::bad_alloc. Any thread; the caller keeps forks of the process away.
  template <typename Work> static void run(Work &&work) {
    run([](void *argument) { (*static_cast<std::remove_reference_t<Work> *>(argument))(); },
        std::addressof(work));
  }
  /// What is left of the stack that the caller runs on, in bytes; SIZE_MAX if it is not a deep one.
  static std::size_t left() noexcept;

private:
  static void run(void (*function)(void *), void *argument);
};

} // namespace metalcore
