#pragma once

#import <Foundation/Foundation.h>

namespace metalcore::objc {

/// Makes the calling thread known to Foundation, until the thread ends. Called before a thread's
/// first Objective-C message; cheap from then on.
void attach_thread();

/// An autorelease pool of the calling thread for the rest of the scope. Unlike @autoreleasepool it
/// is drained when a C++ exception leaves the scope, and it attaches the thread.
class AutoreleasePool {
public:
  AutoreleasePool() {
    attach_thread();
    pool_ = [[NSAutoreleasePool alloc] init];
  }
  ~AutoreleasePool() { [pool_ drain]; }
  AutoreleasePool(const AutoreleasePool &) = delete;
  AutoreleasePool &operator=(const AutoreleasePool &) = delete;

private:
  NSAutoreleasePool *pool_;
};

} // namespace metalcore::objc
