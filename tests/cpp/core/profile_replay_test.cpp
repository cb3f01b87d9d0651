#include "program_profile_fixture.hpp"

#include "core/profile_replay.hpp"
#include "metalcore/error.hpp"

#include <future>

namespace metalcore {
namespace {

using namespace std::chrono_literals;
using namespace test;

using ProfileReplayTest = ProgramProfileTest;

std::shared_ptr<const LibraryRequest> library(const std::string &source) {
  return std::make_shared<const LibraryRequest>(LibraryRequest{source, {}, MathMode::safe});
}

struct Notes {
  Guarded<std::string> order;
  void add(const ProfileEntry &entry) {
    order.with([&](std::string &text) { text += entry.pipeline.kernel; });
  }
  std::string text() {
    return order.with([](const std::string &text) { return text; });
  }
};

const auto never = [] { return false; };

TEST_F(ProfileReplayTest, ReplaysInTheOrderOfFirstUse) {
  ProgramProfile now = profile();
  CompilePool pool(1);
  Notes notes;
  const auto one = library("1"), two = library("2");
  const Profile entries = {{one, {"a", {}}}, {two, {"b", {}}},     {one, {"c", {}}},
                           {one, {"d", {}}}, {nullptr, {"e", {}}}, {two, {"f", {}}}};
  const auto counts =
      replay(now, entries, pool, [&](const ProfileEntry &entry) { notes.add(entry); }, never);
  EXPECT_EQ(notes.text(), "acdbfe"); // the others of a library right after its first
  EXPECT_EQ(counts.built, 6u);
  EXPECT_EQ(counts.failed, 0u);
  EXPECT_EQ(replay(now, {}, pool, {}, never).built, 0u);
}

TEST_F(ProfileReplayTest, ReplaysSeveralAtOnce) {
  ProgramProfile now = profile();
  CompilePool pool(2);
  std::promise<void> both;
  auto met = both.get_future().share();
  std::atomic<int> inside = 0;
  const Profile entries = {{library("1"), {"a", {}}}, {library("2"), {"b", {}}}};
  replay(
      now, entries, pool,
      [&](const ProfileEntry &) {
        if (++inside == 2)
          both.set_value();
        EXPECT_EQ(met.wait_for(60s), std::future_status::ready);
      },
      never);
}

TEST_F(ProfileReplayTest, AReplayGoesOnAfterFailures) {
  run({"x"});
  ProgramProfile now = profile();
  CompilePool pool(1);
  Notes notes;
  const auto bad = library("bad"), good = library("good");
  const Profile entries = {{bad, {"a", {}}},  {bad, {"b", {}}},  {good, {"c", {}}},
                           {good, {"d", {}}}, {good, {"e", {}}}, {nullptr, {"f", {}}}};
  const auto counts = replay(
      now, entries, pool,
      [&](const ProfileEntry &entry) {
        notes.add(entry);
        if (entry.library && entry.library->source == "bad")
          throw Error(ErrorKind::compile, "It does not compile.");
        if (entry.pipeline.kernel == "c" || entry.pipeline.kernel == "f")
          throw std::out_of_range("There is no such kernel.");
      },
      never);
  EXPECT_EQ(notes.text(), "acdef");
  EXPECT_EQ(counts.built, 2u);
  EXPECT_EQ(counts.failed, 4u);
  now.save();
  const auto start = profile().start();
  EXPECT_EQ(start.blocked, 4u);
  EXPECT_EQ(names(start.entries), "x");
}

TEST_F(ProfileReplayTest, AReplayEndsWithTheProcess) {
  ProgramProfile now = profile();
  for (const bool stop_pool : {false, true}) {
    CompilePool pool(1);
    std::atomic<bool> is_ending = false;
    Profile entries;
    for (const char *kernel : {"a", "b", "c", "d"})
      entries.push_back({library(kernel), {kernel, {}}});
    Notes notes;
    const auto counts = replay(
        now, entries, pool,
        [&](const ProfileEntry &entry) {
          notes.add(entry);
          if (entry.pipeline.kernel == "b") {
            if (stop_pool)
              pool.request_stop();
            is_ending = true;
            throw Error(ErrorKind::compile, "The compiler is gone.");
          }
        },
        [&] { return is_ending.load(); });
    EXPECT_EQ(notes.text(), "ab");
    EXPECT_EQ(counts.built, 1u);
    EXPECT_EQ(counts.failed, 0u); // its fault it was not
  }
  now.save();
  EXPECT_FALSE(fs::exists(own));
}

} // namespace
} // namespace metalcore
