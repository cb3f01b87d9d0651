// A thread may be in the middle of a compile when the process exits. If the destructors of clang's
// and LLVM's static objects ran meanwhile, it would crash; so this library registers none (it is
// linked with --wrap=__cxa_atexit), and exit neither waits for a compile nor is endangered by one.

extern "C" {

// As the C++ ABI declares it. 0: registered.
int __wrap___cxa_atexit(void (*)(void *), void *, void *) {
  return 0;
}
}
