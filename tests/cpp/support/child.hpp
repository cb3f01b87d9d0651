#pragma once

#include <chrono>
#include <thread>

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace metalcore::test {

constexpr int child_hung = -1;

/// Forks, runs `body` in the child, which ends with its result, and returns that; child_hung when
/// it took more than `limit`, minus the signal's number minus 1 when one ended it.
template <typename Body>
int exit_code_of_child(Body &&body, std::chrono::seconds limit = std::chrono::seconds(60)) {
  const pid_t child = ::fork();
  if (child == 0)
    _exit(body());
  const auto deadline = std::chrono::steady_clock::now() + limit;
  int status = 0;
  while (waitpid(child, &status, WNOHANG) == 0) {
    if (std::chrono::steady_clock::now() > deadline) {
      kill(child, SIGKILL);
      waitpid(child, &status, 0);
      return child_hung;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1 - WTERMSIG(status);
}

/// In a child: gives up root's powers, for which permissions and limits mean nothing. False where
/// that fails.
inline bool drop_root() {
  return ::geteuid() != 0 || ::setuid(4321) == 0;
}

/// In a child: lets no further thread begin. False where that cannot be done.
inline bool forbid_threads() {
  const rlimit none{0, 0};
  return drop_root() && ::setrlimit(RLIMIT_NPROC, &none) == 0;
}

} // namespace metalcore::test
