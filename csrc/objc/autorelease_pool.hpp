#pragma once

#include "objc/attach_thread.hpp"

#import <Foundation/Foundation.h>

namespace metalcore::objc {

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
