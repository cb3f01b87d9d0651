// What sanitizers must hear about a switch of stacks. The one place that asks which of them is on.
#pragma once

#include <cstddef>

#if __has_feature(address_sanitizer)
#include <pthread.h>
#include <sanitizer/common_interface_defs.h>
#elif __has_feature(thread_sanitizer)
#include <sanitizer/tsan_interface.h>
#endif

/// For functions that switch stacks. ThreadSanitizer counts entries and exits on each fiber, and
/// some of these never return; AddressSanitizer would make a shadow stack for each fiber's locals
/// here.
#define METALCORE_NOT_INSTRUMENTED __attribute__((disable_sanitizer_instrumentation))

namespace metalcore {

/// One stack, as sanitizers know it.
class AnnotatedStack {
public:
  /// The stack of the calling thread.
  void describe_this_thread();
  /// A fiber's stack.
  void describe_fiber(void *bottom, size_t size);
  /// The fiber's stack is about to be unmapped.
  void forget_fiber();

  /// Announces a switch from the running stack to this one. `saved` belongs to the stack that is
  /// left; null when it is left for good.
  METALCORE_NOT_INSTRUMENTED void before_switch(void **saved) const;
  /// The first thing after a switch, on the stack that was entered.
  METALCORE_NOT_INSTRUMENTED static void after_switch(void *saved);

private:
#if __has_feature(address_sanitizer)
  void *bottom_ = nullptr;
  size_t size_ = 0;
#elif __has_feature(thread_sanitizer)
  void *fiber_ = nullptr;
#endif
};

#if __has_feature(address_sanitizer)

inline void AnnotatedStack::describe_this_thread() {
  pthread_attr_t attributes;
  pthread_getattr_np(pthread_self(), &attributes);
  pthread_attr_getstack(&attributes, &bottom_, &size_);
  pthread_attr_destroy(&attributes);
}
inline void AnnotatedStack::describe_fiber(void *bottom, size_t size) {
  bottom_ = bottom;
  size_ = size;
}
inline void AnnotatedStack::forget_fiber() {}
inline void AnnotatedStack::before_switch(void **saved) const {
  __sanitizer_start_switch_fiber(saved, bottom_, size_);
}
inline void AnnotatedStack::after_switch(void *saved) {
  __sanitizer_finish_switch_fiber(saved, nullptr, nullptr);
}

#elif __has_feature(thread_sanitizer)

inline void AnnotatedStack::describe_this_thread() {
  fiber_ = __tsan_get_current_fiber();
}
inline void AnnotatedStack::describe_fiber(void *, size_t) {
  fiber_ = __tsan_create_fiber(0);
}
inline void AnnotatedStack::forget_fiber() {
  __tsan_destroy_fiber(fiber_);
}
inline void AnnotatedStack::before_switch(void **) const {
  __tsan_switch_to_fiber(fiber_, 0);
}
inline void AnnotatedStack::after_switch(void *) {}

#else

inline void AnnotatedStack::describe_this_thread() {}
inline void AnnotatedStack::describe_fiber(void *, size_t) {}
inline void AnnotatedStack::forget_fiber() {}
inline void AnnotatedStack::before_switch(void **) const {}
inline void AnnotatedStack::after_switch(void *) {}

#endif

} // namespace metalcore
