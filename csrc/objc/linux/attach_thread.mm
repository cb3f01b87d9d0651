#include "objc/attach_thread.hpp"

#include "support/fork.hpp"

#import <Foundation/NSThread.h>
#include <objc/thr.h>

namespace metalcore::objc {

namespace {

/// GNUstep keeps a list of threads behind a lock of its own, which it takes when a thread first
/// uses Foundation and when that thread ends. A fork in between would leave it locked in the child
/// for good, so both happen within a Section. The destructor of a thread_local runs before
/// GNUstep's own clean-up of the thread, which then finds nothing to do.
///
/// GCC's runtime has to be told of threads that it did not start: while it counts one, it frees the
/// tables that it grows at once, under the eyes of threads that look methods up without its lock.
class Attachment {
public:
  Attachment() {
    const fork::Section section;
    objc_thread_add();
    is_ours_ = GSRegisterCurrentThread();
  }
  ~Attachment() {
    const fork::Section section;
    if (is_ours_) // else Foundation knew it before: the main thread, or an NSThread
      GSUnregisterCurrentThread();
    objc_thread_remove();
  }
  Attachment(const Attachment &) = delete;
  Attachment &operator=(const Attachment &) = delete;

private:
  bool is_ours_;
};

} // namespace

void attach_thread() { thread_local const Attachment attachment; }

} // namespace metalcore::objc
