#include "core/preferences_reader.hpp"
#include "core/private_file.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

namespace metalcore {
namespace {

namespace fs = std::filesystem;

fs::path folder_for(const platform::Environment &environment) {
  return read_preferences(environment, {}).cache_folder;
}

TEST(CacheFolder, IsWhatThePreferenceOrTheEnvironmentNames) {
  EXPECT_EQ(folder_for({}), "");
  EXPECT_EQ(folder_for({{"HOME", "relative"}}), "");
  EXPECT_EQ(folder_for({{"HOME", "/home/me"}, {"METALCORE_CACHE_DIR", "/fast/disk"}}),
            "/fast/disk/metalcore");
  EXPECT_EQ(folder_for({{"METALCORE_CACHE_DIR", "not/absolute"}}), "");
#ifdef __APPLE__
  EXPECT_EQ(folder_for({{"HOME", "/home/me"}}), "/home/me/Library/Caches/metalcore");
#else
  EXPECT_EQ(folder_for({{"HOME", "/home/me"}}), "/home/me/.cache/metalcore");
  EXPECT_EQ(folder_for({{"HOME", "/home/me"}, {"XDG_CACHE_HOME", "/x"}}), "/x/metalcore");
  EXPECT_EQ(folder_for({{"HOME", "/home/me"}, {"XDG_CACHE_HOME", "x"}}),
            "/home/me/.cache/metalcore");
#endif
}

TEST(CacheFolder, TheBuildsNameIsOneOfAFolder) {
  const std::string build = platform::driver_build();
  EXPECT_FALSE(build.empty());
  EXPECT_EQ(build.find('/'), std::string::npos);
  EXPECT_FALSE(build.starts_with('.'));
  EXPECT_EQ(platform::driver_build(), build);
}

#ifdef __linux__
TEST(CacheFolder, IsHandedOverToMetal) {
  constexpr const char *variable = "HOSTMETAL_CACHE_DIR";
  setenv(variable, "/of/the/parent", 1);
  platform::apply(Preferences(), "/cache/build");
  EXPECT_STREQ(std::getenv(variable), "/cache/build");
  EXPECT_STREQ(std::getenv("HOSTMETAL_CACHE_MAX_SIZE"), "268435456");
  platform::apply(Preferences(), "/cache/build");
  EXPECT_STREQ(std::getenv(variable), "/cache/build");
  platform::apply(Preferences(), "");
  EXPECT_EQ(std::getenv(variable), nullptr);
}
#endif

TEST(PrivateFile, HoldsItsBytesAsLongAsItLives) {
  std::string bytes(100'000, 'x');
  bytes[5] = '\0';
  auto file = PrivateFile::holding(bytes);
  ASSERT_TRUE(file);
  const std::string path = file->path();
  std::ifstream stream(path, std::ios::binary);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(stream), {}), bytes);
  stream.close();
  const auto other = PrivateFile::holding("other");
  ASSERT_TRUE(other);
  EXPECT_NE(other->path(), path);
  file.reset();
  EXPECT_FALSE(fs::exists(path));
}

} // namespace
} // namespace metalcore
