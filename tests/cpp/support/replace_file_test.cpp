#include "support/replace_file.hpp"

#include "child.hpp"
#include "temporary_folder.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>

namespace metalcore {
namespace {

namespace fs = std::filesystem;
using test::exit_code_of_child;

class ReplaceFileTest : public testing::Test {
protected:
  bool replace(std::initializer_list<std::string_view> parts, const Replacement &how = {}) const {
    return replace_file(AT_FDCWD, place_, parts, how);
  }
  std::string content() const {
    std::ostringstream text;
    text << std::ifstream(place_, std::ios::binary).rdbuf();
    return text.str();
  }
  unsigned mode() const {
    struct stat status{};
    stat(place_.c_str(), &status);
    return status.st_mode & 07777;
  }
  std::size_t file_count() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }

  const test::TemporaryFolder own_;
  const fs::path folder_ = own_.path(), place_ = folder_ / "file";
};

TEST_F(ReplaceFileTest, WritesThePartsInTheirOrder) {
  EXPECT_TRUE(replace({"one ", "", "two"}));
  EXPECT_EQ(content(), "one two");
  EXPECT_TRUE(replace({std::string(300'000, 'x')}));
  EXPECT_EQ(content(), std::string(300'000, 'x'));
  EXPECT_TRUE(replace({}));
  EXPECT_EQ(content(), "");
  EXPECT_EQ(file_count(), 1u);
}

TEST_F(ReplaceFileTest, WritesInAFolderThatIsOpen) {
  const int folder = open(folder_.c_str(), O_RDONLY | O_DIRECTORY);
  EXPECT_TRUE(replace_file(folder, "file", {"text"}, {.temporary = ".new"}));
  close(folder);
  EXPECT_EQ(content(), "text");
  EXPECT_EQ(file_count(), 1u);
}

TEST_F(ReplaceFileTest, GivesPermissions) {
  const mode_t before = umask(022);
  EXPECT_TRUE(replace({"text"}));
  EXPECT_EQ(mode(), 0600u);
  EXPECT_TRUE(replace({"text"}, {.mode = 0666}));
  EXPECT_EQ(mode(), 0644u);
  chmod(place_.c_str(), 0640);
  EXPECT_TRUE(replace({"other"}, {.keeps_mode = true, .is_synchronised = true}));
  EXPECT_EQ(mode(), 0640u);
  fs::remove(place_);
  EXPECT_TRUE(replace({"other"}, {.keeps_mode = true}));
  EXPECT_EQ(mode(), 0600u);
  umask(before);
}

TEST_F(ReplaceFileTest, AFailureSaysWhyAndChangesNothing) {
  ASSERT_TRUE(replace({"before"}));
  // No place for the temporary.
  EXPECT_FALSE(replace({"after"}, {.temporary = folder_ / "missing" / "new"}));
  EXPECT_EQ(errno, ENOENT);
  // Somebody's file has its name.
  std::ofstream(folder_ / "taken") << "mine";
  EXPECT_FALSE(replace({"after"}, {.temporary = folder_ / "taken"}));
  EXPECT_EQ(errno, EEXIST);
  EXPECT_TRUE(fs::exists(folder_ / "taken"));
  fs::remove(folder_ / "taken");
  EXPECT_EQ(content(), "before");
  EXPECT_EQ(file_count(), 1u);
  // The place is a folder.
  fs::remove(place_);
  fs::create_directory(place_);
  EXPECT_FALSE(replace({"after"}));
  EXPECT_EQ(errno, EISDIR);
  EXPECT_EQ(file_count(), 1u);
}

#ifdef __linux__
TEST_F(ReplaceFileTest, AFullDiskLeavesTheOldFile) {
  constexpr int not_allowed = 77;
  const int result = exit_code_of_child([&] {
    if (unshare(CLONE_NEWNS | (geteuid() == 0 ? 0 : CLONE_NEWUSER)) != 0 ||
        mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        mount("disk", folder_.c_str(), "tmpfs", 0, "size=64k") != 0)
      return not_allowed;
    if (!replace({"before"}))
      return 1;
    const std::string much(1 << 20, 'x');
    for (const bool is_synchronised : {false, true})
      if (replace({"after", much}, {.is_synchronised = is_synchronised}) || errno != ENOSPC)
        return 2;
    return content() == "before" && file_count() == 1 ? 0 : 3;
  });
  if (result == not_allowed)
    GTEST_SKIP() << "this process may not mount a small disk";
  EXPECT_EQ(result, 0);
}
#endif

TEST_F(ReplaceFileTest, TheLimitOnFilesEndsNoProcess) {
  EXPECT_EQ(exit_code_of_child([&] {
              const rlimit limit{1000, 1000};
              setrlimit(RLIMIT_FSIZE, &limit);
              if (!replace({std::string(600, 'x'), std::string(400, 'y')}))
                return 1;
              if (replace({std::string(600, 'x'), std::string(401, 'y')}))
                return 2;
              return errno == EFBIG ? 0 : 3;
            }),
            0);
  EXPECT_EQ(content(), std::string(600, 'x') + std::string(400, 'y'));
  EXPECT_EQ(file_count(), 1u);
}

TEST(UniqueName, IsNeverTheSame) {
  std::set<std::string> names;
  for (int i = 0; i < 1000; ++i)
    names.insert(unique_name());
  EXPECT_EQ(names.size(), 1000u);
}

} // namespace
} // namespace metalcore
