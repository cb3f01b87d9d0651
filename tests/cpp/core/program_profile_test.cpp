#include "program_profile_fixture.hpp"

#include "metalcore/error.hpp"

#include <thread>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

namespace metalcore {
namespace {

using namespace std::chrono_literals;
using namespace test;

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

} // namespace
} // namespace metalcore
