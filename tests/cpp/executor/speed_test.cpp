// Prints what the executor costs. Asserts only results: times depend on the machine.
#include "kernels.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <thread>

namespace hostmetal::test {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int waits = 200; // of each thread

double microseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

/// "best 1.20, median 1.50": the best is what the code costs, the median what a busy machine adds.
std::string summary(std::vector<double> values) {
  std::ranges::sort(values);
  char text[64];
  std::snprintf(text, sizeof(text), "best %.2f, median %.2f", values.front(),
                values[values.size() / 2]);
  return text;
}

void many_barriers(const HmGroup *group, HmThread *thread) {
  for (int i = 0; i < waits; ++i)
    barrier(group, thread);
  argument<uint32_t>(group, 0)[head(thread).index] = 1;
}

void many_exchanges(const HmGroup *group, HmThread *thread) {
  uint32_t value = head(thread).index % HM_SIMD_WIDTH;
  for (int i = 0; i < waits; ++i)
    value = value_of<uint32_t>(exchange(group, thread, 1, value), (i + 1) % 32);
  argument<uint32_t>(group, 0)[head(thread).index] = value < 32;
}

void return_at_once(const HmGroup *group, HmThread *thread) {
  argument<uint32_t>(group, 0)[head(thread).index] = 1;
}

TEST(Speed, FiberSwitches) {
  struct Case {
    const char *name;
    HmThreadFunction function;
    double count;
  };
  for (const Case &test :
       {Case{"barrier", many_barriers, waits}, Case{"simd_exchange", many_exchanges, waits},
        Case{"start and return", return_at_once, 1}})
    for (const uint32_t threads : {32u, 256u, 1024u}) {
      const auto kernel = make_kernel(test.function);
      const auto stream = cpu_executor()->make_stream();
      std::vector<uint32_t> out(threads);
      std::vector<double> times;
      for (int round = 0; round < 15; ++round) {
        const Outcome outcome =
            run(*stream, {make_dispatch(kernel, {out.data()}, {threads, 1, 1}, {threads, 1, 1})});
        ASSERT_EQ(outcome.error, "");
        times.push_back((outcome.end - outcome.start) * 1e9 / (threads * test.count));
      }
      EXPECT_EQ(out, std::vector<uint32_t>(threads, 1));
      std::printf("%-16s of each of %4u threads, ns: %s\n", test.name, threads,
                  summary(times).c_str());
    }
}

TEST(Speed, EmptySubmissions) {
  const auto stream = cpu_executor()->make_stream();
  const auto kernel = make_kernel([](const HmGroup *, uint32_t, uint32_t) {}, {.buffers = 0});
  std::vector<double> times;
  for (int round = 0; round < 2000; ++round) {
    std::atomic<bool> is_done{false};
    std::vector<Command> commands = {make_dispatch(kernel, {}, {1, 1, 1}, {1, 1, 1})};
    const auto start = Clock::now();
    stream->submit(std::move(commands), nullptr,
                   [&](const Outcome &) { is_done.store(true, std::memory_order_release); });
    while (!is_done.load(std::memory_order_acquire))
      std::this_thread::yield();
    times.push_back(microseconds_since(start));
  }
  std::printf("empty dispatch, submission to completion, caller spins, us: %s\n",
              summary(times).c_str());
  times.clear();
  for (int round = 0; round < 1000; ++round) {
    const auto start = Clock::now();
    run(*stream, {make_dispatch(kernel, {}, {1, 1, 1}, {1, 1, 1})});
    times.push_back(microseconds_since(start));
  }
  std::printf("empty dispatch, submission to completion, caller sleeps, us: %s\n",
              summary(times).c_str());
}

TEST(Speed, ManyTinySubmissions) {
  constexpr int count = 100'000;
  uint32_t value = 0;
  const auto kernel = make_kernel(
      [](const HmGroup *group, uint32_t, uint32_t) { ++*argument<uint32_t>(group, 0); });
  const auto start = Clock::now();
  {
    const auto stream = cpu_executor()->make_stream();
    const auto dispatch = make_dispatch(kernel, {&value}, {1, 1, 1}, {1, 1, 1});
    for (int i = 0; i < count; ++i)
      stream->submit({dispatch}, nullptr, nullptr);
  }
  std::printf("%d submissions: %.2f us each\n", count, microseconds_since(start) / count);
  EXPECT_EQ(value, static_cast<uint32_t>(count));
}

TEST(Speed, SharedWork) {
  constexpr uint32_t count = 1 << 20;
  const auto kernel = make_kernel(
      [](const HmGroup *group, uint32_t, uint32_t) {
        auto *values = argument<float>(group, 0) + group->origin[0];
        for (uint32_t x = 0; x < group->size[0]; ++x)
          values[x] = values[x] * 0.5f + 1.0f;
      },
      {.regroupable = true});
  std::vector<float> values(count, 2.0f);
  const auto stream = cpu_executor()->make_stream();
  std::vector<double> times;
  for (int round = 0; round < 200; ++round) {
    const Outcome outcome =
        run(*stream, {make_dispatch(kernel, {values.data()}, {count, 1, 1}, {256, 1, 1})});
    times.push_back((outcome.end - outcome.start) * 1e6);
  }
  EXPECT_EQ(values, std::vector<float>(count, 2.0f));
  std::printf("1 Mi threads of an elementwise kernel on %u threads, us: %s\n",
              cpu_executor()->thread_count(), summary(times).c_str());
}

} // namespace
} // namespace hostmetal::test
