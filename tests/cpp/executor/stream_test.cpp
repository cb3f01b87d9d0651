#include "kernels.hpp"

#include <atomic>
#include <thread>

namespace hostmetal::test {
namespace {

using namespace std::chrono_literals;

TEST(Stream, CommandsSeeTheWritesOfThoseBefore) {
  const auto stream = cpu_executor()->make_stream();
  const auto increment = make_kernel(
      [](const HmGroup *group, uint32_t, uint32_t) {
        for (uint32_t x = 0; x < group->size[0]; ++x)
          ++argument<uint8_t>(group, 0)[group->origin[0] + x];
      },
      {.regroupable = true});
  std::vector<uint8_t> a(100'000), b(100'000);
  const auto step = make_dispatch(increment, {a.data()}, {100'000, 1, 1}, {256, 1, 1});
  const Outcome outcome =
      run(*stream, {Fill{a.data(), 40, a.size()}, step, step, Copy{b.data(), a.data(), b.size()}});
  EXPECT_EQ(outcome.error, "");
  EXPECT_EQ(b, std::vector<uint8_t>(100'000, 42));
}

TEST(Stream, SubmissionsRunInOrderWithTheirCallbacks) {
  std::vector<std::string> log; // written by the stream's thread only
  {
    const auto stream = cpu_executor()->make_stream();
    for (int i = 0; i < 100; ++i)
      stream->submit(
          {}, [&log, i] { log.push_back("scheduled " + std::to_string(i)); },
          [&log, i](const Outcome &outcome) {
            EXPECT_LE(outcome.start, outcome.end);
            log.push_back("completed " + std::to_string(i));
          });
  }
  ASSERT_EQ(log.size(), 200u);
  for (size_t i = 0; i < 100; ++i) {
    EXPECT_EQ(log[2 * i], "scheduled " + std::to_string(i));
    EXPECT_EQ(log[2 * i + 1], "completed " + std::to_string(i));
  }
}

TEST(Stream, CallbacksRunOnAnotherThreadAndMaySubmit) {
  const auto stream = cpu_executor()->make_stream();
  const Answer<std::thread::id> inner;
  stream->submit({}, nullptr, [&](const Outcome &) {
    stream->submit({}, nullptr, [&](const Outcome &) { inner.set(std::this_thread::get_id()); });
  });
  EXPECT_NE(inner.get(), std::this_thread::get_id());
}

TEST(Stream, DestructionWaits) {
  std::atomic<bool> is_done{false};
  {
    const auto stream = cpu_executor()->make_stream();
    stream->submit(
        {}, [] { std::this_thread::sleep_for(20ms); }, [&](const Outcome &) { is_done = true; });
  }
  EXPECT_TRUE(is_done);
  cpu_executor()->make_stream(); // never used: nothing to wait for
}

TEST(Stream, ACallbackMayDestroyItsStream) {
  auto stream = cpu_executor()->make_stream();
  const Answer<bool> rest;
  const Answer<bool> may_go;
  stream->submit({}, nullptr, [&](const Outcome &) {
    may_go.get();
    stream.reset();
  });
  stream->submit({}, nullptr, [rest](const Outcome &) { rest.set(true); });
  may_go.set(true);
  rest.get();
  EXPECT_EQ(stream, nullptr);
}

TEST(Stream, StreamsWaitForEachOther) {
  const auto executor = cpu_executor();
  const auto ping = executor->make_event(0);
  const auto pong = executor->make_event(0);
  const auto left = executor->make_stream();
  const auto right = executor->make_stream();
  const auto add = make_kernel(
      [](const HmGroup *group, uint32_t, uint32_t) { *argument<uint64_t>(group, 0) += 1; });
  const auto twice = make_kernel(
      [](const HmGroup *group, uint32_t, uint32_t) { *argument<uint64_t>(group, 0) *= 2; });
  uint64_t value = 0;
  uint64_t expected = 0;
  constexpr uint64_t rounds = 60;
  const Answer<bool> end;
  for (uint64_t i = 1; i <= rounds; ++i) {
    left->submit(
        {Wait{pong, i - 1}, make_dispatch(add, {&value}, {1, 1, 1}, {1, 1, 1}), Signal{ping, i}},
        nullptr, nullptr);
    right->submit(
        {Wait{ping, i}, make_dispatch(twice, {&value}, {1, 1, 1}, {1, 1, 1}), Signal{pong, i}},
        nullptr, [end, i](const Outcome &) {
          if (i == rounds)
            end.set(true);
        });
    expected = (expected + 1) * 2;
  }
  end.get();
  EXPECT_EQ(value, expected);
}

TEST(Stream, AnotherStreamRunsWhileOneWaits) {
  const auto executor = cpu_executor();
  const auto event = executor->make_event(0);
  const auto waiting = executor->make_stream();
  std::atomic<bool> is_done{false};
  const Answer<bool> done;
  waiting->submit({Wait{event, 1}}, nullptr, [&, done](const Outcome &) {
    is_done = true;
    done.set(true);
  });
  EXPECT_EQ(run(*executor->make_stream(), {}).error, "");
  std::this_thread::sleep_for(5ms);
  EXPECT_FALSE(is_done);
  event->signal(1);
  done.get();
}

TEST(Stream, AFailureSkipsTheRestButSignals) {
  const auto executor = cpu_executor();
  const auto stream = executor->make_stream();
  const auto event = executor->make_event(0);
  uint8_t byte = 1;
  Dispatch wrong;
  const Outcome outcome =
      run(*stream, {wrong, Fill{&byte, 9, 1}, Wait{event, 99}, Signal{event, 4}});
  EXPECT_EQ(outcome.error, "A dispatch has no kernel.");
  EXPECT_EQ(byte, 1);
  EXPECT_EQ(event->value(), 4u);
  EXPECT_EQ(run(*stream, {Fill{&byte, 9, 1}}).error, "");
  EXPECT_EQ(byte, 9);
}

TEST(Stream, NothingIsHeldWhenTheEndIsTold) {
  const auto stream = cpu_executor()->make_stream();
  auto kernel = make_kernel([](const HmGroup *, uint32_t, uint32_t) {}, {.buffers = 0});
  const std::weak_ptr<const Kernel> watched = kernel;
  std::vector<Command> commands = {make_dispatch(std::move(kernel), {}, {1, 1, 1}, {1, 1, 1})};
  const Answer<bool> is_gone;
  stream->submit(std::move(commands), nullptr,
                 [is_gone, watched](const Outcome &) { is_gone.set(watched.expired()); });
  EXPECT_TRUE(is_gone.get());
}

TEST(Stream, ManyStreamsShareTheWorkers) {
  const auto kernel = make_kernel(
      [](const HmGroup *group, uint32_t, uint32_t) {
        for (uint32_t x = 0; x < group->size[0]; ++x)
          argument<uint32_t>(group, 0)[group->origin[0] + x] += 1;
      },
      {.regroupable = true});
  std::vector<std::vector<uint32_t>> data(6, std::vector<uint32_t>(200'003));
  {
    std::vector<std::unique_ptr<Stream>> streams;
    for (auto &values : data) {
      streams.push_back(cpu_executor()->make_stream());
      for (int round = 0; round < 20; ++round)
        streams.back()->submit(
            {make_dispatch(kernel, {values.data()}, {200'003, 1, 1}, {128, 1, 1})}, nullptr,
            [](const Outcome &outcome) { EXPECT_EQ(outcome.error, ""); });
    }
  }
  for (const auto &values : data)
    EXPECT_EQ(values, std::vector<uint32_t>(200'003, 20));
}

TEST(Stream, ManyThreadsSubmit) {
  std::atomic<int> completed{0};
  {
    const auto stream = cpu_executor()->make_stream();
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; ++i)
      threads.emplace_back([&] {
        for (int round = 0; round < 1000; ++round)
          stream->submit({}, nullptr, [&](const Outcome &) { ++completed; });
      });
    for (std::thread &thread : threads)
      thread.join();
  }
  EXPECT_EQ(completed, 8000);
}

} // namespace
} // namespace hostmetal::test
