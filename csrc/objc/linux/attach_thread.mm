#include "objc/attach_thread.hpp"

#include "support/fork.hpp"

#import <Foundation/NSThread.h>

namespace metalcore::objc {

namespace {

/// GNUstep keeps a list of threads behind a lock of its own, which it takes when a thread first
/// uses Foundation and when that thread ends. A fork in between would leave it locked in the child
/// for good, so both happen within a Section. The destructor of a thread_local runs before
/// GNUstep's own clean-up of the thread, which then finds nothing to do.
class Attachment {
public:
  Attachment() {
    const fork::Section section;
    is_ours_ = GSRegisterCurrentThread();
  }
  ~Attachment() {
    if (!is_ours_)
      return; // Foundation knew it before: the main thread, or an NSThread
    const fork::Section section;
    GSUnregisterCurrentThread();
  }
  Attachment(const Attachment &) = delete;
  Attachment &operator=(const Attachment &) = delete;

private:
  bool is_ours_;
};

} // namespace

void attach_thread() { thread_local const Attachment attachment; }

} // namespace metalcore::objc
