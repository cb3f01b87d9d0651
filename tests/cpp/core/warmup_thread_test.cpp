// Longer than the rest: the states of one class, which share their stages, gates and pool.
#include "core/warmup_thread.hpp"

#include "metalcore/error.hpp"
#include "support/child.hpp"
#include "support/log.hpp"
#include "support/thread.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include <sys/resource.h>

namespace metalcore {
namespace {

using namespace std::chrono_literals;
using Warmup = Preferences::Warmup;

/// A stage that waits to be let go on.
struct Gate {
  std::promise<void> entered, go;
  std::shared_future<void> open = go.get_future().share();

  WarmupTask task(const std::string &name) {
    return {name, [this](const WarmupTask::StopCheck &) {
              entered.set_value();
              open.wait();
            }};
  }
};

/// An object that lives as long as the process: a thread that was given up may use it.
template <typename T, typename... Arguments> T &immortal(Arguments &&...arguments) {
  static auto &all = *new std::vector<T *>;
  return *all.emplace_back(new T(std::forward<Arguments>(arguments)...));
}

/// Two threads, which no test stops.
CompilePool &pool() {
  static auto &pool = immortal<CompilePool>(2u);
  return pool;
}

WarmupTask quick(const std::string &name) {
  return {name, [](const WarmupTask::StopCheck &) {}};
}

TEST(WarmupThread, BeginsDisabled) {
  WarmupThread warmup({quick("a")}, pool());
  const auto report = warmup.report();
  EXPECT_EQ(report.state, WarmupState::disabled);
  EXPECT_EQ(report.reason, "Nothing has started the warm-up.");
  EXPECT_TRUE(report.stages.empty());
  EXPECT_EQ(warmup.wait(std::nullopt).state, WarmupState::disabled);
}

TEST(WarmupThread, RunsItsStagesInOrder) {
  WarmupThread warmup({quick("a"), quick("b")}, pool());
  warmup.start();
  const auto report = warmup.wait(std::nullopt);
  EXPECT_EQ(report.state, WarmupState::done);
  EXPECT_EQ(report.reason, "");
  ASSERT_EQ(report.stages.size(), 2u);
  EXPECT_EQ(report.stages[0].name, "a");
  EXPECT_EQ(report.stages[1].name, "b");
  EXPECT_TRUE(report.stages[0].done && report.stages[1].done);
  EXPECT_GT(report.cpu_seconds, 0);
  warmup.start(); // it is done already
  EXPECT_EQ(warmup.report().state, WarmupState::done);
  warmup.shut_down(10s);
  EXPECT_EQ(warmup.report().state, WarmupState::done);
}

TEST(WarmupThread, AutomaticStartObeysPreferenceAndCpus) {
  const auto state = [](Warmup wish, unsigned cpus) {
    WarmupThread warmup({quick("a")}, pool());
    warmup.start_if_allowed(wish, "environment", cpus);
    const auto report = warmup.wait(std::nullopt);
    warmup.shut_down(10s);
    return std::pair(report.state, report.reason);
  };
  EXPECT_EQ(state(Warmup::automatic, 2), std::pair(WarmupState::done, std::string()));
  EXPECT_EQ(state(Warmup::on, 1), std::pair(WarmupState::done, std::string()));
  EXPECT_EQ(state(Warmup::automatic, 1),
            std::pair(WarmupState::skipped, std::string("The process may use only one CPU.")));
  EXPECT_EQ(state(Warmup::off, 8),
            std::pair(WarmupState::disabled,
                      std::string("The preference \"warmup\" is false (environment).")));
}

TEST(WarmupThread, AnExplicitStartOverrulesBoth) {
  for (Warmup wish : {Warmup::off, Warmup::automatic}) {
    WarmupThread warmup({quick("a")}, pool());
    warmup.start_if_allowed(wish, "default", 1);
    warmup.start();
    EXPECT_EQ(warmup.wait(std::nullopt).state, WarmupState::done);
  }
}

TEST(WarmupThread, ReportsWhileItRuns) {
  Gate gate;
  WarmupThread warmup({quick("a"), gate.task("b"), quick("c")}, pool());
  warmup.start();
  gate.entered.get_future().wait();
  auto report = warmup.report();
  EXPECT_EQ(report.state, WarmupState::running);
  ASSERT_EQ(report.stages.size(), 2u);
  EXPECT_TRUE(report.stages[0].done);
  EXPECT_FALSE(report.stages[1].done);
  EXPECT_EQ(warmup.wait(1ms).state, WarmupState::running);
  EXPECT_EQ(warmup.wait(-1ms).state, WarmupState::running);
  EXPECT_EQ(warmup.wait_for_stage(0, 10s).stages.size(), 2u); // a is done
  EXPECT_EQ(warmup.wait_for_stage(1, 1ms).state, WarmupState::running);
  gate.go.set_value();
  EXPECT_EQ(warmup.wait(std::chrono::nanoseconds::max()).state, WarmupState::done);
  EXPECT_EQ(warmup.wait_for_stage(3, 10s).stages.size(), 3u);
}

TEST(WarmupThread, AFailureIsReportedAndLoggedOnce) {
  std::vector<std::string> logged;
  log::set_sink([&](log::Level, std::string_view text) { logged.emplace_back(text); });
  {
    WarmupThread warmup({quick("a"),
                         {"b",
                          [](const WarmupTask::StopCheck &) {
                            throw Error(ErrorKind::device, "No Metal device was found.");
                          }},
                         quick("c")},
                        pool());
    warmup.start();
    const auto report = warmup.wait(std::nullopt);
    EXPECT_EQ(report.state, WarmupState::failed);
    EXPECT_EQ(report.reason, "No Metal device was found.");
    ASSERT_EQ(report.stages.size(), 2u);
    EXPECT_FALSE(report.stages[1].done);
    warmup.start();
    EXPECT_EQ(warmup.report().state, WarmupState::failed);
  }
  log::set_sink({});
  EXPECT_EQ(logged, std::vector<std::string>{
                        "The warm-up failed in stage \"b\": No Metal device was found."});
}

TEST(WarmupThread, StopsBetweenStages) {
  Gate gate;
  std::atomic<bool> went_on = false;
  WarmupThread warmup(
      {gate.task("a"), {"b", [&](const WarmupTask::StopCheck &) { went_on = true; }}}, pool());
  warmup.start();
  gate.entered.get_future().wait();
  std::thread later([&] {
    std::this_thread::sleep_for(20ms);
    gate.go.set_value();
  });
  warmup.shut_down(60s);
  later.join();
  EXPECT_FALSE(went_on);
  const auto report = warmup.report();
  EXPECT_EQ(report.state, WarmupState::cancelled);
  EXPECT_EQ(report.reason, "The process ends.");
  warmup.start(); // never again
  EXPECT_EQ(warmup.report().state, WarmupState::cancelled);
}

TEST(WarmupThread, ALongStageSeesTheStop) {
  std::promise<void> entered;
  WarmupThread warmup({{"a",
                        [&](const WarmupTask::StopCheck &should_stop) {
                          entered.set_value();
                          while (!should_stop())
                            std::this_thread::sleep_for(1ms);
                        }}},
                      pool());
  warmup.start();
  entered.get_future().wait();
  warmup.shut_down(60s);
  EXPECT_EQ(warmup.report().state, WarmupState::cancelled);
}

TEST(WarmupThread, AFailureWhileTheProcessEndsIsNone) {
  std::atomic<int> logged = 0;
  log::set_sink([&](log::Level, std::string_view) { ++logged; });
  {
    std::promise<void> entered;
    WarmupThread warmup({{"a",
                          [&](const WarmupTask::StopCheck &should_stop) {
                            entered.set_value();
                            while (!should_stop())
                              std::this_thread::sleep_for(1ms);
                            throw Error(ErrorKind::compile, "The compiler is gone.");
                          }}},
                        pool());
    warmup.start();
    entered.get_future().wait();
    warmup.shut_down(60s);
    EXPECT_EQ(warmup.report().state, WarmupState::cancelled);
  }
  log::set_sink({});
  EXPECT_EQ(logged, 0);
}

TEST(WarmupThread, ShuttingDownIsBounded) {
  auto &gate = immortal<Gate>();
  auto &warmup = immortal<WarmupThread>(std::vector<WarmupTask>{gate.task("a")}, pool());
  warmup.start();
  gate.entered.get_future().wait();
  const auto begin = std::chrono::steady_clock::now();
  warmup.shut_down(50ms);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 10s);
  EXPECT_EQ(warmup.report().state, WarmupState::cancelled);
  EXPECT_EQ(warmup.wait(std::nullopt).state, WarmupState::cancelled);
  gate.go.set_value();
}

TEST(WarmupThread, NothingStartsAfterShuttingDown) {
  WarmupThread warmup({quick("a")}, pool());
  warmup.shut_down(1s);
  warmup.start();
  warmup.start_if_allowed(Warmup::on, "default", 2);
  EXPECT_EQ(warmup.report().state, WarmupState::disabled);
}

TEST(WarmupThread, OnlyStagesOnThePoolRunAtLowPriority) {
  std::vector<int> nice(3);
  const auto note = [&](std::size_t i) {
    return [&, i](const WarmupTask::StopCheck &) { nice[i] = getpriority(PRIO_PROCESS, 0); };
  };
  WarmupThread warmup({{"a", note(0)}, {"b", note(1), /*on_pool=*/true}, {"c", note(2)}}, pool());
  warmup.start();
  const auto report = warmup.wait(std::nullopt);
  EXPECT_EQ(report.state, WarmupState::done);
  EXPECT_EQ(nice[0], getpriority(PRIO_PROCESS, 0));
  EXPECT_GT(nice[1], nice[0]);
  EXPECT_EQ(nice[2], nice[0]);
}

TEST(WarmupThread, StagesOnThePoolDoNotHoldUpTheNext) {
  Gate gate;
  WarmupTask slow = gate.task("slow");
  slow.on_pool = true;
  std::promise<void> went_on;
  WarmupThread warmup({slow, {"next", [&](const WarmupTask::StopCheck &) { went_on.set_value(); }}},
                      pool());
  warmup.start();
  went_on.get_future().wait();
  auto report = warmup.wait_for_stage(0, 60s);
  ASSERT_EQ(report.stages.size(), 2u);
  EXPECT_FALSE(report.stages[0].done);
  EXPECT_TRUE(report.stages[1].done);
  EXPECT_EQ(report.state, WarmupState::running);
  gate.go.set_value();
  report = warmup.wait(std::nullopt);
  EXPECT_EQ(report.state, WarmupState::done);
  EXPECT_TRUE(report.stages[0].done);
}

TEST(WarmupThread, CountsTheCpuTimeOfThePool) {
  WarmupThread warmup({{"a",
                        [](const WarmupTask::StopCheck &) {
                          for (const double end = thread::cpu_seconds() + 0.02;
                               thread::cpu_seconds() < end;) {
                          }
                        },
                        /*on_pool=*/true}},
                      pool());
  const double before = warmup.report().cpu_seconds;
  warmup.start();
  EXPECT_GE(warmup.wait(std::nullopt).cpu_seconds, before + 0.02);
}

TEST(WarmupThread, AFailureOnThePoolEndsItWhenTheOthersHaveEnded) {
  log::set_sink([](log::Level, std::string_view) {});
  std::atomic<bool> has_ended = false;
  WarmupThread warmup({{"bad",
                        [](const WarmupTask::StopCheck &) {
                          throw Error(ErrorKind::compile, "There is no compiler.");
                        },
                        /*on_pool=*/true},
                       {"good",
                        [&](const WarmupTask::StopCheck &) {
                          std::this_thread::sleep_for(20ms);
                          has_ended = true;
                        },
                        /*on_pool=*/true}},
                      pool());
  warmup.start();
  const auto report = warmup.wait(std::nullopt);
  log::set_sink({});
  EXPECT_EQ(report.state, WarmupState::failed);
  EXPECT_EQ(report.reason, "There is no compiler.");
  EXPECT_TRUE(has_ended || report.stages.size() == 1);
}

TEST(WarmupThread, AStageThatThePoolDropsCancelsIt) {
  auto &stopped = immortal<CompilePool>(1u);
  stopped.request_stop();
  std::atomic<bool> ran = false;
  WarmupThread warmup(
      {quick("a"), {"b", [&](const WarmupTask::StopCheck &) { ran = true; }, /*on_pool=*/true}},
      stopped);
  warmup.start();
  const auto report = warmup.wait(60s);
  EXPECT_EQ(report.state, WarmupState::cancelled);
  EXPECT_EQ(report.reason, "The process ends.");
  EXPECT_FALSE(ran);
}

/// A stage "a", a pause, and a stage "b".
std::vector<WarmupTask> with_pause() {
  const auto nothing = [](const WarmupTask::StopCheck &) {};
  return {{.name = "b", .run = nothing, .is_after_pause = true}, {.name = "a", .run = nothing}};
}

WarmupThread::Pause pause_of(std::chrono::nanoseconds length) {
  return [length] { return length; };
}

std::vector<std::string> names_of(const WarmupReport &report) {
  std::vector<std::string> names;
  for (const WarmupStage &stage : report.stages)
    names.push_back(stage.name);
  return names;
}

using Names = std::vector<std::string>;

TEST(WarmupThread, APauseEnds) {
  WarmupThread warmup(with_pause(), pool(), pause_of(5ms));
  warmup.start_if_allowed(Warmup::on, "default", 2);
  const auto report = warmup.wait(60s);
  EXPECT_EQ(report.state, WarmupState::done);
  EXPECT_EQ(names_of(report), (Names{"a", "b"}));
}

TEST(WarmupThread, WithoutAPauseTheOrderIsThatOfTheList) {
  for (const auto &pause : {WarmupThread::Pause(), pause_of(0ns)}) {
    WarmupThread warmup(with_pause(), pool(), pause);
    warmup.start_if_allowed(Warmup::on, "default", 2);
    EXPECT_EQ(names_of(warmup.wait(60s)), (Names{"b", "a"}));
  }
}

TEST(WarmupThread, AfterAFailureThereIsNoPause) {
  std::vector<WarmupTask> tasks = with_pause();
  tasks[1].run = [](const WarmupTask::StopCheck &) { throw std::runtime_error("no"); };
  WarmupThread warmup(tasks, pool(), pause_of(24h));
  warmup.start_if_allowed(Warmup::on, "default", 2);
  EXPECT_EQ(warmup.wait(60s).state, WarmupState::failed);
}

TEST(WarmupThread, WhoAsksForItEndsAPause) {
  WarmupThread warmup(with_pause(), pool(), pause_of(24h));
  warmup.start_if_allowed(Warmup::on, "default", 2);
  EXPECT_EQ(warmup.wait_for_stage(0, 60s).stages.size(), 1u);
  EXPECT_EQ(warmup.wait(20ms).state, WarmupState::running);
  warmup.start();
  EXPECT_EQ(warmup.wait(60s).state, WarmupState::done);
  EXPECT_EQ(warmup.report().stages.size(), 2u);
}

TEST(WarmupThread, TheEndOfTheProcessEndsAPause) {
  WarmupThread warmup(with_pause(), pool(), pause_of(24h));
  warmup.start_if_allowed(Warmup::on, "default", 2);
  warmup.wait_for_stage(0, 60s);
  warmup.shut_down(60s);
  EXPECT_EQ(warmup.report().state, WarmupState::cancelled);
  EXPECT_EQ(warmup.report().stages.size(), 1u);
}

TEST(WarmupThread, NobodyPausesWhoWasAskedForIt) {
  WarmupThread warmup(with_pause(), pool(), pause_of(24h));
  warmup.start();
  EXPECT_EQ(warmup.wait(60s).state, WarmupState::done);
}

TEST(WarmupThread, AForkedChildStartsAnew) {
  // In every stage, in the middle of it and right after its beginning or end.
  for (int stage = 0; stage < 3; ++stage) {
    auto &gates = immortal<std::vector<Gate>>(3u);
    auto &in_child = immortal<std::atomic<bool>>(false);
    std::vector<WarmupTask> tasks;
    for (int i = 0; i < 3; ++i)
      tasks.push_back({std::to_string(i), [&gates, &in_child, i](const WarmupTask::StopCheck &) {
                         if (in_child)
                           return;
                         gates[static_cast<std::size_t>(i)].entered.set_value();
                         gates[static_cast<std::size_t>(i)].open.wait();
                       }});
    auto &warmup = immortal<WarmupThread>(std::move(tasks), pool());
    warmup.start();
    for (int i = 0; i <= stage; ++i) {
      gates[static_cast<std::size_t>(i)].entered.get_future().wait();
      if (i < stage)
        gates[static_cast<std::size_t>(i)].go.set_value();
    }
    EXPECT_EQ(test::exit_code_of_child([&] {
                in_child = true;
                const auto inherited = warmup.report();
                if (inherited.state != WarmupState::cancelled ||
                    inherited.reason != "The process was forked during the warm-up.")
                  return 1;
                warmup.start();
                if (warmup.wait(30s).state != WarmupState::done)
                  return 2;
                warmup.shut_down(1s);
                return 0;
              }),
              0);
    EXPECT_EQ(warmup.report().state, WarmupState::running);
    for (int i = stage; i < 3; ++i)
      gates[static_cast<std::size_t>(i)].go.set_value();
    EXPECT_EQ(warmup.wait(std::nullopt).state, WarmupState::done);
    EXPECT_EQ(test::exit_code_of_child(
                  [&] { return warmup.report().state == WarmupState::done ? 0 : 1; }),
              0);
    warmup.shut_down(10s);
  }
}

TEST(WarmupThread, ItsStateSaysThatTheSystemRefusesThreads) {
  EXPECT_EQ(test::exit_code_of_child([] {
              if (!test::forbid_threads())
                return 1;
              WarmupThread warmup({quick("a")}, pool());
              warmup.start();
              const auto report = warmup.wait(std::nullopt);
              if (report.state != WarmupState::failed)
                return 2;
              return report.reason.starts_with("The warm-up thread cannot be started: ") ? 0 : 3;
            }),
            0);
}

} // namespace
} // namespace metalcore
