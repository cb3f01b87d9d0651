#pragma once

#if defined(__has_feature) && __has_feature(objc_arc)
#error "metalcore owns Objective-C objects by hand: compile with -fno-objc-arc."
#endif

#import <Foundation/Foundation.h>

#include <utility>

namespace metalcore::objc {

/// The one owner of an Objective-C object; T is a pointer type such as `id<MTLDevice>` or `NSString
/// *`. Copying retains, destruction releases; any thread may do either.
template <typename T> class Retained {
public:
  Retained() = default;
  Retained(std::nullptr_t) {}
  Retained(const Retained &other) : object_(other.object_) { [object_ retain]; }
  Retained(Retained &&other) noexcept : object_(std::exchange(other.object_, nil)) {}
  Retained &operator=(Retained other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Retained() { [object_ release]; }

  /// Takes over a +1 reference: the result of new, alloc, copy or create.
  [[nodiscard]] static Retained adopt(T object) {
    Retained retained;
    retained.object_ = object;
    return retained;
  }
  /// Adds a reference to an object that somebody else owns.
  [[nodiscard]] static Retained retain(T object) { return adopt([object retain]); }

  T get() const { return object_; }
  explicit operator bool() const { return object_ != nil; }
  /// Gives the +1 reference away.
  [[nodiscard]] T release() { return std::exchange(object_, nil); }

private:
  T object_ = nil;
};

} // namespace metalcore::objc
