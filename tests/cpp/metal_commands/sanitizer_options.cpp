// Defaults of the sanitizers. Objective-C's runtime and Foundation keep tables for the life of the
// process, in memory that the leak checker does not look into; lifetime_test.mm counts our objects.

extern "C" __attribute__((visibility("default"))) const char *__lsan_default_suppressions() {
  return "leak:libobjc.so\nleak:libgnustep-base.so\n";
}

// A forked child starts threads of its own, and cannot join those of its parent.
extern "C" __attribute__((visibility("default"))) const char *__tsan_default_options() {
  return "die_after_fork=0:report_thread_leaks=0";
}
