#include "objc/attach_thread.hpp"

#include "support/fork.hpp"

#import <Foundation/Foundation.h>
#include <objc/thr.h>

#include <mutex>

namespace metalcore::objc {

namespace {

/// A class of Foundation's sets itself up when it is first used, and GCC's runtime does not keep
/// other threads away from it meanwhile: they would get objects without a class. So what this
/// project uses of Foundation is used once, by one thread, before any other can.
void set_up_foundation() {
  @autoreleasepool {
    NSString *text = [NSString stringWithFormat:@"%d%@", 1, [NSMutableString string]];
    NSNumber *number = [NSNumber numberWithUnsignedLong:1];
    NSArray *array = [[NSMutableArray arrayWithObject:text] arrayByAddingObject:number];
    NSDictionary *dictionary = [[NSMutableDictionary dictionaryWithObject:array forKey:text] copy];
    [dictionary release];
    [NSError errorWithDomain:text code:1 userInfo:[NSDictionary dictionary]];
    [NSException exceptionWithName:text reason:text userInfo:nil];
    [NSValue valueWithPointer:nullptr];
    [NSURL fileURLWithPath:@"/"];
    [NSData dataWithBytes:"" length:1];
    [NSMutableSet set];
    // Each thread that ends says so.
    [[NSNotificationCenter defaultCenter] postNotificationName:text object:nil userInfo:nil];
  }
}

/// GNUstep keeps a list of threads behind a lock of its own, which it takes when a thread first
/// uses Foundation and when that thread ends. A fork in between would leave it locked in the child
/// for good, so both happen within a Section. The destructor of a thread_local runs before
/// GNUstep's own clean-up of the thread, which then finds nothing to do.
class Attachment {
public:
  Attachment() {
    const fork::Section section;
    static std::once_flag is_set_up;
    std::call_once(is_set_up, [this] {
      is_ours_ = GSRegisterCurrentThread();
      set_up_foundation();
    });
    is_ours_ |= GSRegisterCurrentThread(); // false for a thread that it knows
  }
  ~Attachment() {
    const fork::Section section;
    if (is_ours_) // else Foundation knew it before: the main thread, or an NSThread
      GSUnregisterCurrentThread();
  }
  Attachment(const Attachment &) = delete;
  Attachment &operator=(const Attachment &) = delete;

private:
  bool is_ours_ = false;
};

// GCC's runtime counts the threads that it was told of. While that is one, it frees the tables that
// it grows at once, under the eyes of threads that look methods up without its lock; so it is told
// of one more, which never ends.
[[maybe_unused]] const bool is_multi_threaded = (objc_thread_add(), true);

} // namespace

void attach_thread() { thread_local const Attachment attachment; }

} // namespace metalcore::objc
