#include "hostmetal/executor/cpu/thread.hpp"

#include "hostmetal/executor/cpu/host.hpp"

#include <atomic>
#include <cfenv>
#include <csignal>
#include <pthread.h>

namespace hostmetal::cpu {
namespace {

/// Blocks, on the calling thread, every signal that is not caused by the thread itself.
class SignalsBlocked {
public:
  SignalsBlocked() {
    sigset_t blocked;
    sigfillset(&blocked);
    for (int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS})
      sigdelset(&blocked, signal);
    pthread_sigmask(SIG_SETMASK, &blocked, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked &) = delete;
  SignalsBlocked &operator=(const SignalsBlocked &) = delete;

private:
  sigset_t before_;
};

} // namespace

std::thread start_thread(const std::string &name, std::function<void()> body) {
  const SignalsBlocked inherited;
  return std::thread([name, body = std::move(body)] {
    pthread_setname_np(pthread_self(), name.substr(0, 15).c_str());
    // A thread inherits its creator's rounding and denormal modes.
    fesetenv(FE_DFL_ENV);
    body();
  });
}

bool can_spin() {
  // Not a static of the function: a fork could leave its initialisation locked for ever.
  static constinit std::atomic<uint32_t> known_count{0};
  uint32_t count = known_count.load(std::memory_order_relaxed);
  if (count == 0) {
    count = allowed_cpu_count();
    known_count.store(count, std::memory_order_relaxed);
  }
  return count > 1;
}

} // namespace hostmetal::cpu
