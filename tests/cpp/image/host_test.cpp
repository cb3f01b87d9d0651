#include "hostmetal/image/host.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

namespace hostmetal::image {
namespace {

TEST(HostIdentity, IsTheSameOnEveryCoreAndInEveryProcess) {
  // A fresh process for every core that this one may use.
  cpu_set_t allowed;
  ASSERT_EQ(sched_getaffinity(0, sizeof(allowed), &allowed), 0);
  std::vector<std::string> answers;
  for (int cpu = 0; cpu < CPU_SETSIZE && answers.size() < 16; ++cpu) {
    if (!CPU_ISSET(cpu, &allowed))
      continue;
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0) {
      cpu_set_t one;
      CPU_ZERO(&one);
      CPU_SET(cpu, &one);
      sched_setaffinity(0, sizeof(one), &one);
      const std::string identity = host_identity();
      const bool is_written =
          write(ends[1], identity.data(), identity.size()) == static_cast<ssize_t>(identity.size());
      _exit(is_written ? 0 : 1);
    }
    close(ends[1]);
    std::string answer;
    char buffer[256];
    for (ssize_t count; (count = read(ends[0], buffer, sizeof(buffer))) > 0;)
      answer.append(buffer, static_cast<size_t>(count));
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_EQ(status, 0);
    answers.push_back(answer);
  }
  ASSERT_FALSE(answers.empty());
  for (const std::string &answer : answers)
    EXPECT_EQ(answer, host_identity());
  EXPECT_FALSE(host_identity().empty());
}

} // namespace
} // namespace hostmetal::image
