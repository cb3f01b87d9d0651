// GCC's Objective-C runtime has one lock for looking classes and methods up, and does nothing about
// forks: cut by one, a look-up of another thread would leave the lock held in the child for good.
// So the thread that forks takes it.

#include <chrono>
#include <objc/thr.h>
#include <pthread.h>
#include <thread>

extern "C" objc_mutex_t __objc_runtime_mutex;

namespace {

using namespace std::chrono_literals;

// A look-up takes microseconds; a thread that keeps the lock longer waits for this one.
constexpr auto longest_wait = 1s;

// Written by the thread that forks, which is the only one between the handlers.
bool is_taken = false;

void before_fork() {
  const auto deadline = std::chrono::steady_clock::now() + longest_wait;
  while (!(is_taken = objc_mutex_trylock(__objc_runtime_mutex) != -1) &&
         std::chrono::steady_clock::now() < deadline)
    std::this_thread::sleep_for(10us);
}

void after_fork() {
  if (is_taken)
    objc_mutex_unlock(__objc_runtime_mutex);
}

// Ahead of the library's C++ initialisers: handlers that were registered first run last before a
// fork, and this one has to follow support/fork.cpp's, which waits for threads that need the lock.
__attribute__((constructor(101))) void watch_forks() {
  pthread_atfork(before_fork, after_fork, after_fork);
}

} // namespace
