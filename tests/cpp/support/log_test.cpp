#include "support/log.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <utility>
#include <vector>

namespace metalcore {
namespace {

using log::Level;

class LogTest : public testing::Test {
protected:
  void TearDown() override {
    log::set_sink({});
    log::set_threshold(Level::warning);
  }
};

TEST_F(LogTest, LevelsHaveNames) {
  for (Level level : {Level::debug, Level::info, Level::warning, Level::error, Level::off})
    EXPECT_EQ(log::level_of(log::level_name(level)), level);
  EXPECT_EQ(log::level_of("verbose"), std::nullopt);
  EXPECT_EQ(log::level_of(""), std::nullopt);
}

TEST_F(LogTest, TheSinkGetsWhatIsNotBelowTheThreshold) {
  std::vector<std::pair<Level, std::string>> seen;
  log::set_sink([&](Level level, std::string_view text) { seen.emplace_back(level, text); });
  log::info("dropped");
  log::warning("first");
  log::error("second");
  log::set_threshold(Level::debug);
  log::debug("third");
  log::set_threshold(Level::off);
  log::error("dropped");
  const std::vector<std::pair<Level, std::string>> expected = {
      {Level::warning, "first"}, {Level::error, "second"}, {Level::debug, "third"}};
  EXPECT_EQ(seen, expected);
}

TEST_F(LogTest, WithoutASinkLinesGoToStandardError) {
  testing::internal::CaptureStderr();
  log::warning("The preference is odd.");
  log::info("dropped");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "metalcore: warning: The preference is odd.\n");
}

TEST_F(LogTest, ASinkThatThrowsDoesNotReachTheCaller) {
  log::set_sink([](Level, std::string_view) { throw std::runtime_error("sink"); });
  EXPECT_NO_THROW(log::error("said"));
}

TEST_F(LogTest, ASinkMayReplaceItself) {
  int calls = 0;
  log::set_sink([&](Level, std::string_view) {
    ++calls;
    log::set_sink([&](Level, std::string_view) { calls += 10; });
  });
  log::error("one");
  log::error("two");
  EXPECT_EQ(calls, 11);
}

} // namespace
} // namespace metalcore
