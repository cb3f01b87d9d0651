#include "core/program_profile.hpp"

#include "core/profile_replay.hpp"
#include "metalcore/error.hpp"
#include "support/child.hpp"
#include "support/log.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <thread>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace metalcore {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

/// A folder of the test's own, removed at the end.
class Folder {
public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "metalcore-profile-XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~Folder() { fs::remove_all(path_); }
  Folder(const Folder &) = delete;
  Folder &operator=(const Folder &) = delete;

  fs::path operator/(const char *name) const { return path_ / name; }
  const fs::path &path() const { return path_; }

private:
  fs::path path_;
};

std::vector<std::string> &logged() {
  static std::vector<std::string> messages;
  return messages;
}

class ProgramProfileTest : public testing::Test {
protected:
  void SetUp() override {
    logged().clear();
    log::set_threshold(log::Level::debug);
    log::set_sink([](log::Level level, std::string_view text) {
      logged().push_back(std::string(log::level_name(level)) + ": " + std::string(text));
    });
  }
  void TearDown() override {
    log::set_sink({});
    log::set_threshold(log::Level::warning);
  }

  ProgramProfile profile(const std::string &compiler = "one", const fs::path &shipped = {}) const {
    return ProgramProfile({own, shipped, compiler});
  }
  /// One run of the program that uses kernels.
  void run(const std::vector<std::string> &kernels) const {
    ProgramProfile now({own, {}, "one"});
    now.start();
    for (const std::string &kernel : kernels)
      now.record(nullptr, {kernel, {}});
    now.save();
    now.end_builds();
  }

  Folder folder;
  const fs::path own = folder / "cache" / "profiles" / "p.json";
};

std::string names(const Profile &profile) {
  std::string text;
  for (const ProfileEntry &entry : profile)
    text += (text.empty() ? "" : " ") + entry.pipeline.kernel;
  return text;
}

std::string content(const fs::path &path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

void write(const fs::path &path, const std::string &text) {
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << text;
  chmod(path.c_str(), 0600);
  chmod(path.parent_path().c_str(), 0700);
}

mode_t mode_of(const fs::path &path) {
  struct stat status{};
  stat(path.c_str(), &status);
  return status.st_mode & 0777;
}

std::size_t files_in(const fs::path &path) {
  return static_cast<std::size_t>(
      std::distance(fs::directory_iterator(path), fs::directory_iterator()));
}

TEST_F(ProgramProfileTest, TheNextStartHasWhatWasUsedInItsOrder) {
  EXPECT_TRUE(profile().start().entries.empty());
  run({"b", "a", "b", "c"});
  EXPECT_EQ(names(profile().start().entries), "b a c");
  run({"c"});
  EXPECT_EQ(names(profile().start().entries), "c b a");
  EXPECT_EQ(logged(), std::vector<std::string>());
}

TEST_F(ProgramProfileTest, NobodyElseCanReadOrWriteIt) {
  umask(0);
  run({"a"});
  umask(022);
  EXPECT_EQ(mode_of(own), 0600u);
  EXPECT_EQ(mode_of(own.parent_path()), 0700u);
  EXPECT_EQ(mode_of(own.parent_path().parent_path()), 0700u);
  EXPECT_EQ(files_in(own.parent_path()), 1u); // no temporaries
}

TEST_F(ProgramProfileTest, ARunThatUsesNothingWritesNothing) {
  run({});
  EXPECT_FALSE(fs::exists(own));
  run({"a", "b"});
  run({"b"});
  const std::string before = content(own);
  run({});
  EXPECT_EQ(content(own), before);
}

TEST_F(ProgramProfileTest, ASaveWithoutNewsDoesNotWrite) {
  run({"a"});
  const auto before = fs::last_write_time(own);
  std::this_thread::sleep_for(20ms);
  run({"a"});
  EXPECT_EQ(fs::last_write_time(own), before);
}

TEST_F(ProgramProfileTest, SavesMergeWithOtherRuns) {
  ProgramProfile first = profile(), second = profile();
  first.start();
  second.start();
  first.record(nullptr, {"a", {}});
  second.record(nullptr, {"b", {}});
  first.save();
  second.save();
  EXPECT_EQ(names(profile().start().entries), "b a");
  first.record(nullptr, {"c", {}});
  first.save();
  EXPECT_EQ(names(profile().start().entries), "a c b");
}

TEST_F(ProgramProfileTest, WhatCannotBeSavedForTheLockIsSavedLater) {
  run({"a"});
  ProgramProfile now({own, {}, "one"});
  now.start();
  now.record(nullptr, {"b", {}});
  const int folder = open(own.parent_path().c_str(), O_RDONLY | O_DIRECTORY);
  ASSERT_EQ(flock(folder, LOCK_EX), 0);
  EXPECT_FALSE(now.save());
  EXPECT_EQ(names(profile().start().entries), "a");
  close(folder);
  EXPECT_TRUE(now.save());
  EXPECT_EQ(names(profile().start().entries), "b a");
}

TEST_F(ProgramProfileTest, ManyProcessesLoseNothing) {
  constexpr int processes = 8, kernels = 6;
  std::vector<pid_t> children;
  for (int process = 0; process < processes; ++process) {
    const pid_t child = ::fork();
    if (child == 0) {
      ProgramProfile now({own, {}, "one"});
      now.start();
      for (int kernel = 0; kernel < kernels; ++kernel) {
        now.record(nullptr, {std::to_string(process) + "_" + std::to_string(kernel), {}});
        while (!now.save()) {
        }
      }
      _exit(0);
    }
    children.push_back(child);
  }
  for (const pid_t child : children)
    waitpid(child, nullptr, 0);
  EXPECT_EQ(profile().start().entries.size(), std::size_t{processes * kernels});
}

TEST_F(ProgramProfileTest, AnyTruncationCountsAsNoProfileAndIsOverwritten) {
  run({"a", "b"});
  const std::string whole = content(own);
  for (std::size_t length = 0; length + 1 < whole.size(); ++length) {
    write(own, whole.substr(0, length));
    EXPECT_TRUE(profile().start().entries.empty()) << length;
  }
  EXPECT_NE(logged().back().find("debug: The warm-up profile"), std::string::npos);
  run({"c"});
  EXPECT_EQ(names(profile().start().entries), "c");
}

TEST_F(ProgramProfileTest, WhatOthersCanWriteIsNotUsed) {
  run({"a"});
  for (const mode_t mode : {0620u, 0602u}) {
    chmod(own.c_str(), mode);
    EXPECT_TRUE(profile().start().entries.empty());
    EXPECT_NE(logged().back().find("it can be written by others"), std::string::npos);
  }
  chmod(own.c_str(), 0600);
  EXPECT_EQ(names(profile().start().entries), "a");
  for (const mode_t mode : {0770u, 0707u}) {
    chmod(own.parent_path().c_str(), mode);
    EXPECT_TRUE(profile().start().entries.empty());
    EXPECT_NE(logged().back().find("its folder can be written by others"), std::string::npos);
    const std::string before = content(own);
    run({"b"});
    EXPECT_EQ(content(own), before);
  }
}

TEST_F(ProgramProfileTest, WhatBelongsToOthersIsNotUsed) {
  if (geteuid() != 0)
    GTEST_SKIP() << "only root can give files away";
  run({"a"});
  ASSERT_EQ(chown(own.c_str(), 12345, 12345), 0);
  EXPECT_TRUE(profile().start().entries.empty());
  EXPECT_NE(logged().back().find("it belongs to another user"), std::string::npos);
  ASSERT_EQ(chown(own.c_str(), 0, 0), 0);
  ASSERT_EQ(chown(own.parent_path().c_str(), 12345, 12345), 0);
  EXPECT_TRUE(profile().start().entries.empty());
  EXPECT_NE(logged().back().find("its folder belongs to another user"), std::string::npos);
}

TEST_F(ProgramProfileTest, WhatIsNoRegularFileIsNotUsed) {
  run({"a"});
  fs::rename(own, folder / "other");
  fs::create_symlink(folder / "other", own);
  EXPECT_TRUE(profile().start().entries.empty());
  fs::remove(own);
  mkfifo(own.c_str(), 0600);
  EXPECT_TRUE(profile().start().entries.empty());
  EXPECT_NE(logged().back().find("it is not a regular file"), std::string::npos);
  fs::remove(own);
  fs::create_directory(own);
  EXPECT_TRUE(profile().start().entries.empty());
  write(folder / "large" / "p.json", std::string((16u << 20) + 1, ' '));
  ProgramProfile large({folder / "large" / "p.json", {}, "one"});
  EXPECT_TRUE(large.start().entries.empty());
  EXPECT_NE(logged().back().find("it is larger than 16777216 bytes"), std::string::npos);
}

TEST_F(ProgramProfileTest, AShippedProfileIsReadAndTheProgramsOwnComesFirst) {
  const fs::path shipped = folder / "app" / "shipped.json";
  write(shipped, profile_text({{nullptr, {"s", {}}}, {nullptr, {"a", {}}}}));
  EXPECT_EQ(names(profile("one", shipped).start().entries), "s a");
  run({"a", "x"});
  EXPECT_EQ(names(profile("one", shipped).start().entries), "a x s");
  EXPECT_EQ(content(shipped), profile_text({{nullptr, {"s", {}}}, {nullptr, {"a", {}}}}));
  EXPECT_EQ(logged(), std::vector<std::string>());
  // Whoever named it wants to know.
  write(shipped, "nonsense");
  EXPECT_EQ(names(profile("one", shipped).start().entries), "a x");
  EXPECT_EQ(logged().back(), "warning: The warm-up profile \"" + shipped.string() +
                                 "\" is not used: it is not JSON.");
}

TEST_F(ProgramProfileTest, WithoutAFileNothingIsKept) {
  ProgramProfile none({{}, {}, "one"});
  EXPECT_TRUE(none.start().entries.empty());
  EXPECT_FALSE(none.record(nullptr, {"a", {}}));
  none.save();
  none.end_builds();
}

TEST_F(ProgramProfileTest, AFailureIsNotTriedAgainUntilTheCompilerChanges) {
  run({"good", "bad"});
  {
    ProgramProfile now = profile("one");
    const auto start = now.start();
    now.note_failure(start.entries[1]);
    now.save();
    now.end_builds();
  }
  const auto again = profile("one").start();
  EXPECT_EQ(names(again.entries), "good");
  EXPECT_EQ(again.blocked, 1u);
  EXPECT_EQ(names(profile("two").start().entries), "good bad");
  run({"bad"}); // the program itself has built it
  EXPECT_EQ(names(profile("one").start().entries), "bad good");
}

/// What failed, thrown by the work of an entry.
template <typename Failure> ProfileBuild result_of(ProgramProfile &profile, Failure failure) {
  return profile.build({nullptr, {"k", {}}}, [&] { throw failure; });
}

TEST_F(ProgramProfileTest, TellsFailuresOfTheEntryFromOthers) {
  ProgramProfile now = profile();
  EXPECT_EQ(now.build({nullptr, {"k", {}}}, [] {}), ProfileBuild::built);
  EXPECT_EQ(result_of(now, Error(ErrorKind::compile, "")), ProfileBuild::no_library);
  EXPECT_EQ(result_of(now, Error(ErrorKind::pipeline, "")), ProfileBuild::failed);
  EXPECT_EQ(result_of(now, Error(ErrorKind::unsupported, "")), ProfileBuild::failed);
  EXPECT_EQ(result_of(now, std::out_of_range("")), ProfileBuild::failed);
  EXPECT_EQ(result_of(now, std::invalid_argument("")), ProfileBuild::failed);
  EXPECT_EQ(result_of(now, Error(ErrorKind::device, "")), ProfileBuild::no_device);
  EXPECT_EQ(result_of(now, std::bad_alloc()), ProfileBuild::no_device);
}

TEST_F(ProgramProfileTest, TheNextStartLeavesOutWhatEndedTheLast) {
  run({"a", "crashes", "b"});
  const auto crash = [&] {
    return test::exit_code_of_child([&] {
      ProgramProfile now = profile("one");
      for (const ProfileEntry &entry : now.start().entries)
        now.build(entry, [&] {
          if (entry.pipeline.kernel == "crashes")
            raise(SIGKILL);
        });
      return 0;
    });
  };
  EXPECT_EQ(crash(), -1 - SIGKILL);
  EXPECT_EQ(crash(), 0);
  const auto start = profile("one").start();
  EXPECT_EQ(names(start.entries), "a b");
  EXPECT_EQ(start.blocked, 1u);
  EXPECT_EQ(names(profile("two").start().entries), "a crashes b");
  run({"crashes"});
  EXPECT_EQ(names(profile("one").start().entries), "crashes a b");
}

TEST_F(ProgramProfileTest, MarksOfALivingProcessCountForNothing) {
  run({"a"});
  int to_child[2], to_parent[2];
  ASSERT_EQ(pipe(to_child) + pipe(to_parent), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ProgramProfile now = profile("one");
    now.build(now.start().entries[0], [&] {
      char byte = 0;
      (void)!::write(to_parent[1], &byte, 1);
      (void)!::read(to_child[0], &byte, 1);
    });
    now.end_builds();
    _exit(0);
  }
  char byte = 0;
  (void)!::read(to_parent[0], &byte, 1);
  EXPECT_EQ(profile("one").start().blocked, 0u);
  (void)!::write(to_child[1], &byte, 1);
  waitpid(child, nullptr, 0);
  EXPECT_EQ(names(profile("one").start().entries), "a");
}

TEST_F(ProgramProfileTest, AnOrderlyEndLeavesNoMarks) {
  run({"a"});
  ProgramProfile now = profile("one");
  const auto start = now.start();
  std::promise<void> entered, go;
  std::thread slow([&] {
    now.build(start.entries[0], [&] {
      entered.set_value();
      go.get_future().wait();
    });
  });
  entered.get_future().wait();
  now.end_builds();
  go.set_value();
  slow.join();
  EXPECT_EQ(files_in(own.parent_path()), 1u);
  EXPECT_EQ(profile("one").start().blocked, 0u);
}

// The replay, with builds that only take notes.

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

TEST_F(ProgramProfileTest, ReplaysInTheOrderOfFirstUse) {
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

TEST_F(ProgramProfileTest, ReplaysSeveralAtOnce) {
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

TEST_F(ProgramProfileTest, AReplayGoesOnAfterFailures) {
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

TEST_F(ProgramProfileTest, AReplayEndsWithTheProcess) {
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
