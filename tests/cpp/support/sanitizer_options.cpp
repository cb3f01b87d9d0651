// Defaults of the sanitizers, part of every test that is built with one.

#define SANITIZER_HOOK extern "C" __attribute__((visibility("default")))

/// A child starts threads of its own, and cannot join those of its parent.
SANITIZER_HOOK const char *__tsan_default_options() {
  return "die_after_fork=0:report_thread_leaks=0";
}

/// What the Objective-C runtime and GNUstep set up once and never free, in memory that the leak
/// checker does not look into (metal_commands' lifetime_test.mm counts our own objects), and the
/// stacks of threads that still run when a child ends.
SANITIZER_HOOK const char *__lsan_default_suppressions() {
  return "leak:libobjc.so\nleak:libgnustep-base.so\nleak:hostmetal::cpu::start_thread\n";
}

SANITIZER_HOOK const char *__lsan_default_options() {
  return "print_suppressions=0";
}
