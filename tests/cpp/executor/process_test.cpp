// What happens to the executor when its process forks or ends.
#include "kernels.hpp"

#include <chrono>
#include <random>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace hostmetal::test {
namespace {

using namespace std::chrono_literals;

void reverse_in_groups(const HmGroup *group, HmThread *thread) {
  auto *values = argument<uint32_t>(group, 0) + group->origin[0];
  const uint32_t index = head(thread).index;
  const uint32_t value = values[group->size[0] - 1 - index];
  barrier(group, thread);
  values[index] = value;
}

void count_up(const HmGroup *group, uint32_t, uint32_t) {
  for (uint32_t x = 0; x < group->size[0]; ++x)
    argument<uint32_t>(group, 0)[group->origin[0] + x] += 1;
}

/// Uses everything: workers, fibers, a stream and an event. Returns whether the results were right.
bool executor_works(Stream &stream, Event &event) {
  std::vector<uint32_t> values(300'000);
  const auto count = make_kernel(count_up, {.regroupable = true});
  const auto reverse = make_kernel(reverse_in_groups);
  const auto size = static_cast<uint32_t>(values.size());
  const Outcome outcome =
      run(stream, {make_dispatch(count, {values.data()}, {size, 1, 1}, {64, 1, 1}),
                   make_dispatch(reverse, {values.data()}, {20'000, 1, 1}, {300, 1, 1})});
  const Answer<bool> told;
  event.notify(event.value() + 1, [told](uint64_t) { told.set(true); });
  event.signal(event.value() + 1);
  told.get();
  return outcome.error.empty() && values == std::vector<uint32_t>(values.size(), 1);
}

/// The exit code of a child that runs `body`, or -1 when a signal ended it, or -2 when it hung.
template <typename Body> int code_of_child(Body body) {
  const pid_t child = fork();
  if (child == 0) {
    _exit(body());
  }
  for (int waited = 0; waited < 60'000; ++waited) {
    int status = 0;
    if (waitpid(child, &status, WNOHANG) == child)
      return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    std::this_thread::sleep_for(1ms);
  }
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  return -2;
}

TEST(Fork, AChildUsesWhatItsParentMade) {
  const auto stream = cpu_executor()->make_stream();
  const auto event = cpu_executor()->make_event(0);
  ASSERT_TRUE(executor_works(*stream, *event));
  for (int round = 0; round < 5; ++round)
    EXPECT_EQ(code_of_child([&] { return executor_works(*stream, *event) ? 7 : 1; }), 7);
  EXPECT_TRUE(executor_works(*stream, *event));
}

TEST(Fork, AChildIsFreeOfItsParentsWork) {
  std::atomic<bool> must_end{false};
  std::atomic<int> runs{0};
  const auto stream = cpu_executor()->make_stream();
  const auto other = cpu_executor()->make_stream();
  const auto event = cpu_executor()->make_event(0);
  // The parent's threads hold locks, spin and wait at all times.
  std::thread busy([&] {
    while (!must_end)
      EXPECT_TRUE(executor_works(*other, *event));
  });
  stream->submit({Wait{event, UINT64_MAX}}, nullptr, [&](const Outcome &) { ++runs; });
  for (int round = 0; round < 20; ++round)
    EXPECT_EQ(code_of_child([&] {
                const auto own = cpu_executor()->make_event(0);
                return executor_works(*stream, *own) && runs == 0 ? 7 : 1;
              }),
              7);
  must_end = true;
  busy.join();
  event->signal(UINT64_MAX);
}

TEST(Fork, GrandchildrenWork) {
  const auto stream = cpu_executor()->make_stream();
  const auto event = cpu_executor()->make_event(0);
  EXPECT_EQ(code_of_child([&] {
              if (!executor_works(*stream, *event))
                return 1;
              return code_of_child([&] { return executor_works(*stream, *event) ? 7 : 2; });
            }),
            7);
}

// exit() runs destructors of statics and handlers while the executor's threads are at work.
TEST(Exit, IsCleanAtAnyMoment) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  const auto count = make_kernel(count_up, {.regroupable = true});
  const auto reverse = make_kernel(reverse_in_groups);
  for (int round = 0; round < 60; ++round) {
    const auto delay = std::chrono::microseconds(random() % 3000);
    EXPECT_EQ(code_of_child([&] {
                // Leaked, as by a program that exits in the middle.
                auto *streams = new std::vector<std::unique_ptr<Stream>>();
                auto *values = new std::vector<uint32_t>(300'000);
                for (int i = 0; i < 3; ++i) {
                  streams->push_back(cpu_executor()->make_stream());
                  for (int j = 0; j < 200; ++j)
                    streams->back()->submit(
                        {make_dispatch(i == 0 ? count : reverse, {values->data() + i * 100'000},
                                       {100'000, 1, 1}, {100, 1, 1})},
                        nullptr, nullptr);
                }
                std::this_thread::sleep_for(delay);
                exit(0);
                return 1;
              }),
              0);
  }
}

TEST(Threads, AreConfiguredByTheEnvironment) {
  // The executor of this process exists already; only a fresh program reads the variable.
  const auto threads_with = [](const char *value) {
    return code_of_child([&] {
      setenv("HOSTMETAL_CPU_THREADS", value, 1);
      execl("/proc/self/exe", "executor_test", "--gtest_filter=Threads.DISABLED_PrintCount",
            "--gtest_also_run_disabled_tests", "--gtest_brief=1", nullptr);
      return 255;
    });
  };
  EXPECT_EQ(threads_with("3"), 3);
  EXPECT_EQ(threads_with("1"), 1);
  EXPECT_EQ(threads_with("0"), 100);
  EXPECT_EQ(threads_with("two"), 100);
  EXPECT_EQ(threads_with("99999999999"), 100);
}

// Not a test of its own: the program that the test above starts. Its exit code is the answer.
TEST(Threads, DISABLED_PrintCount) {
  try {
    const auto executor = cpu_executor();
    const auto stream = executor->make_stream();
    const auto event = executor->make_event(0);
    _exit(executor_works(*stream, *event) ? static_cast<int>(executor->thread_count()) : 101);
  } catch (const std::invalid_argument &error) {
    _exit(std::string(error.what()).find("must be a whole number from 1 to 1024.") !=
                  std::string::npos
              ? 100
              : 102);
  }
}

} // namespace
} // namespace hostmetal::test
