#include "program_profile_fixture.hpp"

#include "support/child.hpp"

#include <future>
#include <thread>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

namespace metalcore {
namespace {

using namespace std::chrono_literals;
using namespace test;

using BuildMarksTest = ProgramProfileTest;

TEST_F(BuildMarksTest, TheNextStartLeavesOutWhatEndedTheLast) {
  run({"a", "crashes", "b"});
  const auto crash = [&] {
    return exit_code_of_child([&] {
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

TEST_F(BuildMarksTest, MarksOfALivingProcessCountForNothing) {
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

TEST_F(BuildMarksTest, WithoutTheLockNothingIsWrittenAndNothingForgotten) {
  run({"a", "crashes"});
  ASSERT_EQ(exit_code_of_child([&] {
              ProgramProfile now = profile("one");
              now.build(now.start().entries[1], [] { raise(SIGKILL); });
              return 0;
            }),
            -1 - SIGKILL);
  const std::string before = content(own);
  const std::size_t files = files_in(own.parent_path());
  const int folder_file = open(own.parent_path().c_str(), O_RDONLY | O_DIRECTORY);
  ASSERT_EQ(flock(folder_file, LOCK_EX), 0);
  {
    ProgramProfile now = profile("one");
    const auto start = now.start();
    EXPECT_EQ(names(start.entries), "a"); // known to crash all the same
    EXPECT_EQ(start.blocked, 1u);
    EXPECT_EQ(files_in(own.parent_path()), files); // no marks of its own either
    EXPECT_EQ(now.build(start.entries[0], [] {}), ProfileBuild::built);
    now.end_builds();
  }
  EXPECT_EQ(content(own), before);
  close(folder_file);
  EXPECT_EQ(names(profile("one").start().entries), "a");
  EXPECT_NE(content(own), before);
}

TEST_F(BuildMarksTest, AnOrderlyEndLeavesNoMarks) {
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
  EXPECT_EQ(files_in(own.parent_path()), 1u); // the build may never end
  go.set_value();
  slow.join();
  EXPECT_EQ(files_in(own.parent_path()), 1u);
  EXPECT_EQ(profile("one").start().blocked, 0u);
}

} // namespace
} // namespace metalcore
