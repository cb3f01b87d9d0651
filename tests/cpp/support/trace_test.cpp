#include "support/trace.hpp"

#include "child.hpp"
#include "support/thread.hpp"
#include "temporary_folder.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>
#include <vector>

#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>

namespace metalcore {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// Tracing is begun once per process, so every test traces in a child.
class TraceTest : public testing::Test {
protected:
  static std::string read(const fs::path &path) {
    std::ifstream stream(path);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  static json events(const fs::path &path) { return json::parse(read(path)); }
  static json find(const json &events, const std::string &name) {
    for (const json &event : events)
      if (event.at("name") == name)
        return event;
    ADD_FAILURE() << name;
    return json::object();
  }
  std::size_t files() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
  }

  const test::TemporaryFolder own;
  const fs::path folder = own.path(), file = folder / "trace.json";
};

int spans() {
  thread::set_name("main thread");
  trace::Span outer("test", "outer \"quoted\"\n");
  outer.add("text", std::string_view("a\\b"));
  outer.add("count", uint64_t{3});
  {
    const trace::Span inner("test", "inner");
  }
  trace::instant("test", "moment");
  return 0;
}

TEST_F(TraceTest, WritesAnArrayOfEvents) {
  EXPECT_EQ(test::exit_code_of_child([&] {
              if (trace::start(file))
                return 1;
              spans();
              trace::stop();
              spans(); // not recorded
              return 0;
            }),
            0);
  const json all = events(file);
  const json outer = find(all, "outer \"quoted\"\n"), inner = find(all, "inner");
  EXPECT_EQ(outer.at("ph"), "X");
  EXPECT_EQ(outer.at("cat"), "test");
  EXPECT_EQ(outer.at("args"), (json{{"text", "a\\b"}, {"count", 3}}));
  EXPECT_LE(outer.at("ts"), inner.at("ts"));
  EXPECT_GE(outer.at("ts").get<double>() + outer.at("dur").get<double>(),
            inner.at("ts").get<double>() + inner.at("dur").get<double>());
  const json name = find(all, "thread_name");
  EXPECT_EQ(name.at("ph"), "M");
  EXPECT_EQ(name.at("tid"), outer.at("tid"));
  EXPECT_EQ(name.at("args").at("name"), "main thread");
  EXPECT_EQ(find(all, "moment").at("ph"), "i");
  EXPECT_EQ(std::ranges::count(all, "inner", [](const json &e) { return e.at("name"); }), 1);
}

TEST_F(TraceTest, AnAbnormalEndLosesNothing) {
  EXPECT_EQ(test::exit_code_of_child([&] {
              trace::start(file);
              spans();
              raise(SIGKILL);
              return 0;
            }),
            -1 - SIGKILL);
  const std::string text = read(file);
  ASSERT_TRUE(text.ends_with(",\n"));
  const json all = json::parse(text.substr(0, text.size() - 2) + ']');
  find(all, "moment");
}

TEST_F(TraceTest, OverlappingIntervalsHaveLanes) {
  EXPECT_EQ(test::exit_code_of_child([&] {
              trace::start(file);
              trace::Track track("queue");
              track.interval("gpu", "a", 1, 3);
              track.interval("gpu", "b", 2, 4);
              track.interval("gpu", "c", 3, 3.5);
              track.interval("gpu", "backwards", 6, 5);
              trace::stop();
              return 0;
            }),
            0);
  const json all = events(file);
  EXPECT_NE(find(all, "a").at("tid"), find(all, "b").at("tid"));
  EXPECT_EQ(find(all, "a").at("tid"), find(all, "c").at("tid"));
  EXPECT_EQ(find(all, "a").at("ts"), 1e6);
  EXPECT_EQ(find(all, "a").at("dur"), 2e6);
  EXPECT_EQ(find(all, "backwards").at("dur"), 0);
}

TEST_F(TraceTest, AForkedChildHasItsOwnFile) {
  EXPECT_EQ(test::exit_code_of_child([&] {
              trace::start(file);
              trace::instant("test", "parent");
              const int code = test::exit_code_of_child([] {
                trace::instant("test", "child");
                trace::stop();
                return 0;
              });
              test::exit_code_of_child([] { return 0; }); // writes nothing, makes no file
              trace::stop();
              return code;
            }),
            0);
  ASSERT_EQ(files(), 2u);
  find(events(file), "parent");
  for (const auto &entry : fs::directory_iterator(folder))
    if (entry.path() != file) {
      const json all = events(entry.path());
      EXPECT_EQ(entry.path().filename(),
                "trace." + std::to_string(find(all, "child").at("pid").get<int>()) + ".json");
      find(all, "thread_name");
    }
}

TEST_F(TraceTest, AnotherProcessKeepsItsFile) {
  std::ofstream(file) << "another's";
  const int lock = open(file.c_str(), O_RDONLY); // as a process that traces has it
  ASSERT_EQ(flock(lock, LOCK_EX), 0);
  EXPECT_EQ(test::exit_code_of_child([&] {
              trace::start(file);
              trace::stop();
              return fs::exists(folder / ("trace." + std::to_string(getpid()) + ".json")) ? 0 : 1;
            }),
            0);
  close(lock);
  EXPECT_EQ(read(file), "another's");
  EXPECT_EQ(files(), 2u);
}

TEST_F(TraceTest, NamesCarryTheProcess) {
  EXPECT_EQ(test::exit_code_of_child([&] {
              trace::start(folder / "of-%p.json");
              trace::stop();
              return fs::exists(folder / ("of-" + std::to_string(getpid()) + ".json")) ? 0 : 1;
            }),
            0);
  EXPECT_EQ(files(), 1u);
}

TEST_F(TraceTest, AnOldFileIsReplaced) {
  std::ofstream(file) << std::string(10'000, 'x');
  test::exit_code_of_child([&] {
    trace::start(file);
    trace::stop();
    return 0;
  });
  EXPECT_EQ(events(file).back().at("name"), "end");
}

TEST_F(TraceTest, SaysWhyThereIsNoFile) {
  const fs::path missing = folder / "no" / "such.json";
  EXPECT_EQ(trace::start(missing), "The trace file \"" + missing.string() +
                                       "\" cannot be written: No such file or directory.");
  EXPECT_FALSE(trace::is_on());
  EXPECT_EQ(spans(), 0);
}

TEST_F(TraceTest, ThreadsWriteWholeLines) {
  EXPECT_EQ(test::exit_code_of_child([&] {
              trace::start(file);
              std::vector<std::thread> threads;
              for (int thread = 0; thread < 4; ++thread)
                threads.emplace_back([] {
                  for (int i = 0; i < 200; ++i)
                    const trace::Span span("test", "step");
                });
              for (auto &thread : threads)
                thread.join();
              trace::stop();
              return 0;
            }),
            0);
  const json all = events(file);
  EXPECT_EQ(std::ranges::count(all, "step", [](const json &e) { return e.at("name"); }), 800);
}

} // namespace
} // namespace metalcore
