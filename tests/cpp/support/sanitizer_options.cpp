// Defaults of the sanitizers, part of every test that is built with one.

#include <unistd.h>

#define SANITIZER_HOOK extern "C" __attribute__((visibility("default")))

/// A child starts threads of its own, and cannot join those of its parent. Tests ask for more
/// memory than there is.
SANITIZER_HOOK const char *__tsan_default_options() {
  return "die_after_fork=0:report_thread_leaks=0:allocator_may_return_null=1";
}

/// GNUstep's NSLock keeps a mutex that its first user locks for good, to hang those who would lock
/// another twice: whatever that thread locks from then on seems to be locked inside of it.
SANITIZER_HOOK const char *__tsan_default_suppressions() {
  return "deadlock:libgnustep-base.so\n";
}

/// What the Objective-C runtime and GNUstep set up once and never free, in memory that the leak
/// checker does not look into (metal_commands' lifetime_test.mm counts our own objects), and what
/// LLVM drops when it gives up a damaged module.
SANITIZER_HOOK const char *__lsan_default_suppressions() {
  return "leak:libobjc.so\n"
         "leak:libgnustep-base.so\n"
         "leak:llvm::BitcodeReader\n"
         "leak:llvm::MDTuple::getImpl\n"
         "leak:llvm::MetadataTracking\n";
}

namespace {
const pid_t first_process = getpid();
}

/// In a forked child, what only the parent's threads knew is lost. Asked at exit.
SANITIZER_HOOK int __lsan_is_turned_off() {
  return getpid() != first_process;
}

SANITIZER_HOOK const char *__lsan_default_options() {
  return "print_suppressions=0";
}
