#pragma once

#include "core/program_profile.hpp"
#include "support/log.hpp"
#include "support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include <sys/stat.h>

namespace metalcore::test {

namespace fs = std::filesystem;

inline std::vector<std::string> &logged() {
  static std::vector<std::string> messages;
  return messages;
}

/// A profile in a folder of the test's own, and what is logged about it.
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

  test::TemporaryFolder folder;
  const fs::path own = folder / "cache" / "profiles" / "p.json";
};

inline std::string names(const Profile &profile) {
  std::string text;
  for (const ProfileEntry &entry : profile)
    text += (text.empty() ? "" : " ") + entry.pipeline.kernel;
  return text;
}

inline std::string content(const fs::path &path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

inline void write(const fs::path &path, const std::string &text) {
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << text;
  chmod(path.c_str(), 0600);
  chmod(path.parent_path().c_str(), 0700);
}

inline mode_t mode_of(const fs::path &path) {
  struct stat status{};
  stat(path.c_str(), &status);
  return status.st_mode & 0777;
}

inline std::size_t files_in(const fs::path &path) {
  return static_cast<std::size_t>(
      std::distance(fs::directory_iterator(path), fs::directory_iterator()));
}

} // namespace metalcore::test
