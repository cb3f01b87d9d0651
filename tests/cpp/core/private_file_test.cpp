#include "core/private_file.hpp"

#include "support/child.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include <sys/resource.h>

namespace metalcore {
namespace {

std::string content(const std::string &path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

TEST(PrivateFile, HoldsBytesAsLongAsItLives) {
  const std::string bytes = std::string("code\0code", 9) + std::string(100'000, 'x');
  auto file = PrivateFile::holding(bytes);
  ASSERT_TRUE(file);
  const std::string path = file->path();
  EXPECT_EQ(content(path), bytes);
  const auto other = PrivateFile::holding("other");
  ASSERT_TRUE(other);
  EXPECT_EQ(content(other->path()), "other");
  EXPECT_EQ(content(path), bytes);
  file.reset();
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(PrivateFile, IsNoneBeyondTheLimitsOfTheProcess) {
  EXPECT_EQ(test::exit_code_of_child([] {
              const rlimit size{1000, 1000};
              setrlimit(RLIMIT_FSIZE, &size);
              if (!PrivateFile::holding(std::string(1000, 'x')))
                return 1;
              if (PrivateFile::holding(std::string(1001, 'x')))
                return 2;
              const rlimit files{0, 0};
              setrlimit(RLIMIT_NOFILE, &files);
              return PrivateFile::holding("x") ? 3 : 0;
            }),
            0);
}

} // namespace
} // namespace metalcore
