#include "core/preferences_reader.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

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

TEST(CacheFolder, TheNumberOfThreadsIsHandedOverToMetal) {
  constexpr const char *variable = "HOSTMETAL_CPU_THREADS";
  unsetenv(variable);
  platform::apply(Preferences(), "");
  EXPECT_EQ(std::getenv(variable), nullptr);
  Preferences three;
  three.cpu_threads = 3;
  platform::apply(three, "");
  EXPECT_STREQ(std::getenv(variable), "3");
  three.cpu_threads = 4;
  platform::apply(three, ""); // who set hostmetal's own variable meant it
  EXPECT_STREQ(std::getenv(variable), "3");
  unsetenv(variable);
}
#endif

} // namespace
} // namespace metalcore
