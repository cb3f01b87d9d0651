#include "core/warmup_profile_file.hpp"

#include "support/child.hpp"
#include "support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include <sys/resource.h>
#include <sys/stat.h>

namespace metalcore {
namespace {

namespace fs = std::filesystem;
using test::exit_code_of_child;

class ProfileFileTest : public testing::Test {
protected:
  /// Why nothing was written; empty where it was.
  static std::string refusal(const fs::path &path, std::string_view text = "text") {
    std::string why_not;
    return write_profile_file(path, text, why_not) ? "" : why_not;
  }
  static std::string refusal_to_read(const fs::path &path) {
    std::string why_not;
    return read_profile_file(path, ProfileOwner::user, why_not) ? "" : why_not;
  }
  std::string content(const fs::path &path) const {
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
  }

  const test::TemporaryFolder own_;
  const fs::path folder_ = own_.path();
};

TEST_F(ProfileFileTest, MakesTheFoldersThatItNeeds) {
  const fs::path path = folder_ / "a" / "b" / "profile";
  EXPECT_EQ(refusal(path), "");
  EXPECT_EQ(content(path), "text");
  struct stat status{};
  ASSERT_EQ(stat((folder_ / "a").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0700u);
  EXPECT_EQ(refusal(path, "other"), "");
  EXPECT_EQ(content(path), "other");
  EXPECT_EQ(refusal_to_read(path), "");
}

TEST_F(ProfileFileTest, SaysWhyItCannotBeWritten) {
  std::ofstream(folder_ / "file") << "mine";
  EXPECT_EQ(refusal(folder_ / "file" / "profile"), "Not a directory");
  EXPECT_EQ(refusal(folder_ / "file" / "below" / "profile"),
            "its folder cannot be made: Not a directory");
  fs::create_directories(folder_ / "profile" / "inside");
  EXPECT_EQ(refusal(folder_ / "profile"), "Is a directory");
  EXPECT_EQ(content(folder_ / "file"), "mine");
}

TEST_F(ProfileFileTest, AFullDiskLeavesTheOldFile) {
  const fs::path path = folder_ / "profile";
  ASSERT_EQ(refusal(path, "before"), "");
  EXPECT_EQ(exit_code_of_child([&] {
              const rlimit limit{100, 100};
              setrlimit(RLIMIT_FSIZE, &limit);
              return refusal(path, std::string(101, 'x')) == "File too large" ? 0 : 1;
            }),
            0);
  EXPECT_EQ(content(path), "before");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 1);
}

TEST_F(ProfileFileTest, SaysWhatThePermissionsForbid) {
  fs::permissions(folder_, fs::perms(0755));
  const fs::path closed = folder_ / "closed", secret = folder_ / "secret";
  fs::create_directory(closed);
  fs::permissions(closed, fs::perms::none);
  std::ofstream(secret) << "text";
  fs::permissions(secret, fs::perms::none);
  EXPECT_EQ(exit_code_of_child([&] {
              if (!test::drop_root())
                return 1;
              if (refusal(closed / "profile") != "Permission denied")
                return 2;
              if (refusal_to_read(closed / "profile") != "Permission denied")
                return 3;
              return refusal_to_read(secret) == "Permission denied" ? 0 : 4;
            }),
            0);
  fs::permissions(closed, fs::perms::owner_all);
}

TEST_F(ProfileFileTest, WithoutRoomForMarksThereAreNone) {
  EXPECT_EQ(BuildMarks::make(folder_ / "missing" / "profile"), nullptr);
  EXPECT_EQ(exit_code_of_child([&] {
              const rlimit limit{1000, 1000};
              setrlimit(RLIMIT_FSIZE, &limit);
              return BuildMarks::make(folder_ / "profile") ? 1 : 0;
            }),
            0);
  EXPECT_TRUE(fs::is_empty(folder_));
}

} // namespace
} // namespace metalcore
