#include "support/thread.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include <sched.h>

namespace metalcore {
namespace {

TEST(Thread, CpuTimeIsTheCallingThreadsOwn) {
  const double before = thread::cpu_seconds();
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  const double asleep = thread::cpu_seconds() - before;
  EXPECT_LT(asleep, 0.04);
  volatile double sum = 0;
  const double start = thread::cpu_seconds();
  while (thread::cpu_seconds() - start < 0.01)
    sum = sum + 1;
  EXPECT_GT(sum, 0);
}

TEST(Thread, AllowedCpusFollowsTheAffinityMask) {
  const unsigned all = thread::allowed_cpus();
  EXPECT_GE(all, 1u);
  unsigned alone = 0;
  std::thread([&] {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(static_cast<unsigned>(sched_getcpu()), &set);
    ASSERT_EQ(sched_setaffinity(0, sizeof set, &set), 0);
    alone = thread::allowed_cpus();
  }).join();
  EXPECT_EQ(alone, 1u);
}

} // namespace
} // namespace metalcore
