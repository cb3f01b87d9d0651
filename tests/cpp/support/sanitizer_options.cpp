// Defaults of the sanitizers for tests that fork: a child starts threads of its own, and cannot
// join those of its parent.

extern "C" __attribute__((visibility("default"))) const char *__tsan_default_options() {
  return "die_after_fork=0:report_thread_leaks=0";
}
