#include "objc/attach_thread.hpp"

#include "objc/linux/converter_probes.hpp"
#include "support/fork.hpp"

#import <Foundation/Foundation.h>
#include <objc/thr.h>

#include <mutex>
#include <optional>

#include <pthread.h>

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
    // What Foundation does when a thread ends: it says so, in a pool that it makes through two
    // addresses, of which it looks at the first only to see whether it has them.
    [[NSNotificationCenter defaultCenter] postNotificationName:text object:nil userInfo:nil];
    [[NSAutoreleasePool new] drain];
  }
}

constinit thread_local bool is_attached = false;

// GNUstep keeps a list of threads behind a lock of its own, which it takes when a thread first uses
// Foundation and when that thread ends. A fork in between would leave it locked in the child for
// good, so both happen within a Section.

void detach(void *) {
  const fork::Section section;
  GSUnregisterCurrentThread();
  is_attached = false;
}

/// Its destructor runs at the end of each thread for which the key has a value. Unlike that of a
/// thread_local, it is set without the dynamic loader's lock, which is held for as long as somebody
/// opens a large library. The C library goes through keys in the order in which they were made.
/// This one is older than GNUstep's, unless the program used Foundation before it loaded this
/// library; so GNUstep's own clean-up, which is no Section, finds nothing to do.
const std::optional<pthread_key_t> end_of_thread = [] {
  pthread_key_t key{};
  return pthread_key_create(&key, detach) == 0 ? std::optional(key) : std::nullopt;
}();

// GCC's runtime counts the threads that it was told of. While that is one, it frees the tables that
// it grows at once, under the eyes of threads that look methods up without its lock; so it is told
// of one more, which never ends.
[[maybe_unused]] const bool is_multi_threaded = (objc_thread_add(), true);

} // namespace

void attach_thread() {
  if (is_attached)
    return;
  const fork::Section section;
  static std::once_flag is_set_up;
  bool is_ours = false; // else Foundation knew it before: the main thread, or an NSThread
  std::call_once(is_set_up, [&] {
    const ConverterProbes probes(reinterpret_cast<const void *>(&GSRegisterCurrentThread));
    is_ours = GSRegisterCurrentThread();
    set_up_foundation();
  });
  is_ours |= GSRegisterCurrentThread(); // false for a thread that it knows
  if (is_ours && end_of_thread)
    pthread_setspecific(*end_of_thread, &is_attached); // any value but null
  is_attached = true;
}

} // namespace metalcore::objc
