#include "core/preferences_editor.hpp"

#include "core/preferences_file.hpp"
#include "core/preferences_reader.hpp"
#include "support/child.hpp"
#include "support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <stdexcept>
#include <system_error>

#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>

namespace metalcore {
namespace {

namespace fs = std::filesystem;

TEST(PreferencesEditor, SetsAnEntryAndKeepsAllElse) {
  const std::string text = "# mine\n\n[metalcore] # section\n  warmup = \"auto\"   # as it was\n"
                           "cpu_threads=3\n\n# about colours\n[other]\nx = [1,\n 2]\n";
  EXPECT_EQ(edit_preferences(text, "warmup", "false"),
            "# mine\n\n[metalcore] # section\n  warmup = false   # as it was\n"
            "cpu_threads=3\n\n# about colours\n[other]\nx = [1,\n 2]\n");
  EXPECT_EQ(edit_preferences(text, "log_level", "\"debug\""),
            "# mine\n\n[metalcore] # section\n  warmup = \"auto\"   # as it was\n"
            "cpu_threads=3\nlog_level = \"debug\"\n\n# about colours\n[other]\nx = [1,\n 2]\n");
  EXPECT_EQ(edit_preferences(text, "warmup", std::nullopt),
            "# mine\n\n[metalcore] # section\ncpu_threads=3\n\n# about colours\n[other]\nx = [1,\n"
            " 2]\n");
}

TEST(PreferencesEditor, MakesTheSection) {
  EXPECT_EQ(edit_preferences("", "cache", "true"), "[metalcore]\ncache = true\n");
  EXPECT_EQ(edit_preferences("# nothing", "cache", "true"),
            "# nothing\n\n[metalcore]\ncache = true\n");
  EXPECT_EQ(edit_preferences("[metalcore]", "cache", "true"), "[metalcore]\ncache = true\n");
  EXPECT_EQ(edit_preferences("[metalcore]\n# empty\n[z]\n", "cache", "true"),
            "[metalcore]\ncache = true\n# empty\n[z]\n");
}

TEST(PreferencesEditor, FollowsTheMannerOfTheFile) {
  EXPECT_EQ(edit_preferences("[metalcore]\r\nwarmup = true\r\n", "cache", "false"),
            "[metalcore]\r\nwarmup = true\r\ncache = false\r\n");
  EXPECT_EQ(edit_preferences("x = 1\r\n", "cache", "false"),
            "x = 1\r\n\r\n[metalcore]\r\ncache = false\r\n");
  EXPECT_EQ(edit_preferences("metalcore.warmup = true\ny = 2\n", "cache", "false"),
            "metalcore.warmup = true\nmetalcore.cache = false\ny = 2\n");
  EXPECT_EQ(edit_preferences("metalcore = { warmup = true, cache = true }\n", "cache", "false"),
            "metalcore = { warmup = true, cache = false }\n");
  EXPECT_EQ(edit_preferences("[metalcore]\n\"warmup\" = '''true'''\n", "warmup", "false"),
            "[metalcore]\n\"warmup\" = false\n");
}

TEST(PreferencesEditor, CountsLettersNotBytes) {
  EXPECT_EQ(edit_preferences("[metalcore]\ndevice = \"Größe 𝄞 ✓\" # ü\ncache = true\n", "device",
                             "\"é\""),
            "[metalcore]\ndevice = \"é\" # ü\ncache = true\n");
  EXPECT_EQ(
      edit_preferences("metalcore = { device = \"ß𝄞\", cache = true } # ü\n", "cache", "false"),
      "metalcore = { device = \"ß𝄞\", cache = false } # ü\n");
}

TEST(PreferencesEditor, NothingToDoChangesNothing) {
  for (const char *text : {"", "[metalcore]\ncache=true # yes\n", "x = 1"}) {
    EXPECT_EQ(edit_preferences(text, "warmup", std::nullopt), text);
    if (*text == '[')
      EXPECT_EQ(edit_preferences(text, "cache", "true"), text);
  }
}

TEST(PreferencesEditor, RefusesWhatItCannotDoSafely) {
  for (const char *text : {"[metalcore]\ncache = = 1\n", "metalcore = 3\n",
                           "metalcore = { warmup = true }\n", "[[metalcore]]\n", "\xff\xfe"})
    EXPECT_THROW(edit_preferences(text, "cache", "false"), std::invalid_argument) << text;
  EXPECT_THROW(
      edit_preferences("metalcore = { warmup = true, cache = true }\n", "warmup", std::nullopt),
      std::invalid_argument);
}

TEST(PreferenceLiteral, IsWhatTheReaderTakes) {
  EXPECT_EQ(preference_literal("warmup", "on"), "true");
  EXPECT_EQ(preference_literal("warmup", "auto"), "\"auto\"");
  EXPECT_EQ(preference_literal("cpu_threads", "007"), "7");
  EXPECT_EQ(preference_literal("cache_max_size", "1GB"), "\"1GB\"");
  EXPECT_EQ(preference_literal("device", "true"), "\"true\"");
  EXPECT_EQ(preference_literal("device", "a\"b\\c\n\x01"), "\"a\\\"b\\\\c\\u000a\\u0001\"");
  EXPECT_EQ(preference_literal("cache_dir", ""), "\"\"");
  EXPECT_THROW(preference_literal("warmpu", "true"), std::invalid_argument);
  EXPECT_THROW(preference_literal("cpu_threads", "-1"), std::invalid_argument);
  EXPECT_THROW(preference_literal("cache_dir", "here"), std::invalid_argument);
  EXPECT_THROW(preference_literal("cache_dir", std::string("/a\0b", 4)), std::invalid_argument);
}

class PreferenceFileEditor : public testing::Test {
protected:
  static std::string read(const fs::path &path) {
    std::ifstream stream(path);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  /// Names in the file's folder.
  std::size_t files() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(file.parent_path()), fs::directory_iterator()));
  }

  const test::TemporaryFolder own;
  const fs::path folder = own.path(), file = folder / "config" / "preferences.toml";
};

TEST_F(PreferenceFileEditor, MakesFolderAndFile) {
  EXPECT_FALSE(edit_preference_file(file, "cache", std::nullopt));
  EXPECT_FALSE(fs::exists(file));
  EXPECT_TRUE(edit_preference_file(file, "cache", "false"));
  EXPECT_EQ(read(file), "[metalcore]\ncache = false\n");
  EXPECT_FALSE(edit_preference_file(file, "cache", "false"));
  EXPECT_TRUE(edit_preference_file(file, "cache", std::nullopt));
  EXPECT_EQ(read(file), "[metalcore]\n");
  EXPECT_EQ(files(), 1u);
}

TEST_F(PreferenceFileEditor, KeepsModeAndLink) {
  fs::create_directory(file.parent_path());
  const fs::path kept = folder / "kept.toml";
  std::ofstream(kept) << "# kept\n";
  ASSERT_EQ(chmod(kept.c_str(), 0640), 0);
  fs::create_symlink("../kept.toml", file);
  EXPECT_TRUE(edit_preference_file(file, "cache", "false"));
  EXPECT_TRUE(fs::is_symlink(file));
  EXPECT_EQ(read(kept), "# kept\n\n[metalcore]\ncache = false\n");
  struct stat status{};
  ASSERT_EQ(stat(kept.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0640u);
}

TEST_F(PreferenceFileEditor, AFailedWriteLeavesTheFile) {
  edit_preference_file(file, "cache", "false");
  const int code = test::exit_code_of_child([&] {
    signal(SIGXFSZ, SIG_IGN);
    const rlimit nothing{4, 4}; // bytes
    setrlimit(RLIMIT_FSIZE, &nothing);
    try {
      edit_preference_file(file, "warmup", "true");
    } catch (const std::system_error &error) {
      return error.code() == std::errc::file_too_large ? 0 : 1;
    }
    return 2;
  });
  EXPECT_EQ(code, 0);
  EXPECT_EQ(read(file), "[metalcore]\ncache = false\n");
  EXPECT_EQ(files(), 1u);
}

TEST_F(PreferenceFileEditor, ADirectoryIsNoFile) {
  fs::create_directories(file);
  EXPECT_THROW(edit_preference_file(file, "cache", "false"), std::system_error);
}

TEST_F(PreferenceFileEditor, ProcessesTakeTurns) {
  edit_preference_file(file, "cache", "false");
  const std::vector<std::string> names = {"a", "b", "c", "d"};
  std::vector<pid_t> children;
  for (const std::string &name : names) {
    const pid_t child = ::fork();
    if (child == 0) {
      for (int i = 0; i <= 20; ++i)
        edit_preference_file(file, name, std::to_string(i));
      _exit(0);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  const PreferenceFile found = read_preference_file(file);
  EXPECT_TRUE(found.problems.empty());
  ASSERT_EQ(found.entries.size(), 5u);
  for (const PreferenceEntry &entry : found.entries)
    EXPECT_EQ(entry.value, entry.key == "cache" ? "false" : "20") << entry.key;
  EXPECT_EQ(files(), 1u);
}

} // namespace
} // namespace metalcore
