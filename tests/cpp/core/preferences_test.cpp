#include "core/preferences_reader.hpp"

#include "support/child.hpp"
#include "support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include <sys/stat.h>
#include <unistd.h>

namespace metalcore {
namespace {

namespace fs = std::filesystem;

class PreferencesTest : public testing::Test {
protected:
  static void write(const fs::path &path, const std::string &text) { std::ofstream(path) << text; }
  PreferenceReading read(const platform::Environment &environment = {}) const {
    return read_preferences(environment, {{local, false}, {user, true}});
  }
  static PreferenceValue value(const PreferenceReading &reading, const std::string &name) {
    for (const auto &value : reading.values)
      if (value.name == name)
        return value;
    ADD_FAILURE() << name;
    return {};
  }
  /// `"<file>", line N: `
  static std::string at(const fs::path &file, int line) {
    return '"' + file.string() + "\", line " + std::to_string(line) + ": ";
  }

  const test::TemporaryFolder own;
  const fs::path folder = own.path(), local = folder / "metalcore.toml",
                 user = folder / "preferences.toml";
};

TEST_F(PreferencesTest, HasDefaults) {
  const auto reading = read();
  EXPECT_EQ(reading.warnings, std::vector<std::string>());
  EXPECT_EQ(reading.preferences.warmup, Preferences::Warmup::automatic);
  EXPECT_EQ(reading.preferences.math_mode, MathMode::safe);
  EXPECT_EQ(reading.values.size(), 11u);
  EXPECT_EQ(value(reading, "warmup").value, "auto");
  EXPECT_EQ(value(reading, "warmup").source, "default");
  EXPECT_EQ(value(reading, "device").value, "");
}

TEST_F(PreferencesTest, TheNearerSourceWins) {
  write(user, "[metalcore]\nmath_mode = \"fast\"\nlog_level = \"debug\"\ncpu_threads = 3\n");
  write(local, "[metalcore]\nmath_mode = \"relaxed\"\nlog_level = \"info\"\n");
  const auto reading = read({{"METALCORE_LOG_LEVEL", "error"}, {"METALCORE_DEVICE", ""}});
  EXPECT_EQ(reading.warnings, std::vector<std::string>());
  EXPECT_EQ(reading.preferences.log_level, "error");
  EXPECT_EQ(reading.preferences.math_mode, MathMode::relaxed);
  EXPECT_EQ(reading.preferences.cpu_threads, 3u);
  EXPECT_EQ(value(reading, "log_level").source, "environment");
  EXPECT_EQ(value(reading, "math_mode").source, local.string());
  EXPECT_EQ(value(reading, "cpu_threads").source, user.string());
  EXPECT_EQ(value(reading, "device").source, "default");
}

TEST_F(PreferencesTest, ReadsEveryKey) {
  write(local, "[metalcore]\nwarmup = false\ndevice = 1\ncpu_threads = 2\n"
               "storage_mode = \"private\"\nmath_mode = \"fast\"\nlog_level = \"off\"\n");
  const auto &preferences = read().preferences;
  EXPECT_EQ(preferences.warmup, Preferences::Warmup::off);
  EXPECT_EQ(preferences.device, "1");
  EXPECT_EQ(preferences.cpu_threads, 2u);
  EXPECT_EQ(preferences.storage_mode, StorageMode::private_);
  EXPECT_EQ(preferences.math_mode, MathMode::fast);
  EXPECT_EQ(preferences.log_level, "off");
}

TEST_F(PreferencesTest, WarmupHasSeveralWords) {
  const auto warmup = [&](const char *text) {
    return read({{"METALCORE_WARMUP", text}}).preferences.warmup;
  };
  for (const char *text : {"true", "on", "yes", "1"})
    EXPECT_EQ(warmup(text), Preferences::Warmup::on) << text;
  for (const char *text : {"false", "off", "no", "0"})
    EXPECT_EQ(warmup(text), Preferences::Warmup::off) << text;
  EXPECT_EQ(warmup("auto"), Preferences::Warmup::automatic);
}

TEST_F(PreferencesTest, WarnsOfUnknownKeysAndSections) {
  write(local, "[metalcore]\n\nwarmpu = true\nmath_mode = \"fast\"\n[other]\nx = 1\n");
  const auto reading = read();
  EXPECT_EQ(reading.warnings,
            (std::vector<std::string>{at(local, 5) + "\"other\" is not the section [metalcore].",
                                      at(local, 3) + "there is no preference \"warmpu\"."}));
  EXPECT_EQ(reading.preferences.math_mode, MathMode::fast);
}

TEST_F(PreferencesTest, OnlyTheUserNamesWhatIsExecuted) {
  write(local, "[metalcore]\ncache_dir = \"/tmp/evil\"\nwarmup_profile = \"/tmp/evil.json\"\n");
  write(user, "[metalcore]\ncache_dir = \"/mine\"\n");
  const auto reading = read({{"METALCORE_WARMUP_PROFILE", "/shipped.json"}});
  const std::string why = " is ignored, because cached files are executed and the folder may be "
                          "somebody else's; set it in the user's preferences.toml or in ";
  EXPECT_EQ(
      reading.warnings,
      (std::vector<std::string>{
          at(local, 3) + "the preference \"warmup_profile\"" + why + "METALCORE_WARMUP_PROFILE.",
          at(local, 2) + "the preference \"cache_dir\"" + why + "METALCORE_CACHE_DIR."}));
  EXPECT_EQ(reading.preferences.cache_dir, "/mine");
  EXPECT_EQ(value(reading, "cache_dir").source, user.string());
  EXPECT_EQ(reading.preferences.warmup_profile_path, "/shipped.json");
}

TEST_F(PreferencesTest, AFolderMaySwitchTheProfileOff) {
  write(local, "[metalcore]\nwarmup_profile = false\ncache = false\ncache_max_size = \"1 MiB\"\n");
  const auto reading = read();
  EXPECT_EQ(reading.warnings, std::vector<std::string>());
  EXPECT_FALSE(reading.preferences.warmup_profile);
  EXPECT_FALSE(reading.preferences.cache);
  EXPECT_EQ(reading.preferences.cache_max_size, 1u << 20);
}

TEST_F(PreferencesTest, PathsAreAbsolute) {
  for (const char *text : {"relative", "./x", "~"}) {
    EXPECT_EQ(read({{"METALCORE_CACHE_DIR", text}}).warnings.size(), 1u) << text;
    EXPECT_EQ(read({{"METALCORE_WARMUP_PROFILE", text}}).warnings.size(), 1u) << text;
  }
}

TEST_F(PreferencesTest, SizesHaveUnits) {
  const auto size = [&](const char *text) {
    const auto reading = read({{"METALCORE_CACHE_MAX_SIZE", text}});
    EXPECT_EQ(reading.warnings, std::vector<std::string>());
    return reading.preferences.cache_max_size;
  };
  EXPECT_EQ(size("0"), 0u);
  EXPECT_EQ(size("12 B"), 12u);
  EXPECT_EQ(size("3KiB"), 3072u);
  EXPECT_EQ(size("2 GB"), 2'000'000'000u);
  for (const char *text : {"-1", "1.5 MiB", "1 XiB", "MiB", "99999999999 GiB", "1 MiB "})
    EXPECT_EQ(read({{"METALCORE_CACHE_MAX_SIZE", text}}).warnings.size(), 1u) << text;
}

TEST_F(PreferencesTest, ValuesHaveForms) {
  const auto form = [&](const platform::Environment &environment, const char *name) {
    return value(read(environment), name).form;
  };
  EXPECT_EQ(form({}, "warmup"), PreferenceForm::text);
  EXPECT_EQ(form({{"METALCORE_WARMUP", "on"}}, "warmup"), PreferenceForm::flag);
  EXPECT_EQ(form({}, "cpu_threads"), PreferenceForm::number);
  EXPECT_EQ(form({{"METALCORE_DEVICE", "true"}}, "device"), PreferenceForm::text);
}

TEST_F(PreferencesTest, ABadValueLeavesTheDefault) {
  write(user, "[metalcore]\nwarmup = true\n");
  write(local, "[metalcore]\nwarmup = \"maybe\"\ncpu_threads = -1\nlog_level = [\"info\"]\n");
  const auto reading = read();
  EXPECT_EQ(reading.warnings,
            (std::vector<std::string>{
                at(local, 2) + "the preference \"warmup\" is \"maybe\", but must be \"auto\", true "
                               "or false; the default (\"auto\") is used.",
                at(local, 3) + "the preference \"cpu_threads\" is \"-1\", but must be a whole "
                               "number from 0 to 65536; the default (\"0\") is used.",
                at(local, 4) + "the preference \"log_level\" has a value that is not \"debug\", "
                               "\"info\", \"warning\", \"error\" or \"off\"; the default "
                               "(\"warning\") is used."}));
  EXPECT_EQ(reading.preferences.warmup, Preferences::Warmup::automatic);
  EXPECT_EQ(value(reading, "warmup").source, "default");
}

TEST_F(PreferencesTest, WarnsOfABadVariable) {
  const auto reading = read({{"METALCORE_MATH_MODE", "FAST"}, {"METALCORE_TRACE", "x"}});
  EXPECT_EQ(reading.warnings,
            std::vector<std::string>{
                "The environment variable METALCORE_MATH_MODE is \"FAST\", but must be \"safe\", "
                "\"relaxed\" or \"fast\"; the default (\"safe\") is used."});
}

TEST_F(PreferencesTest, NumbersAreWholeAndInRange) {
  for (const char *text : {"1.5", "65537", "4294967296", " 1", "1 ", "0x10", "+1", "one"})
    EXPECT_EQ(read({{"METALCORE_CPU_THREADS", text}}).warnings.size(), 1u) << text;
  EXPECT_EQ(read({{"METALCORE_CPU_THREADS", "65536"}}).preferences.cpu_threads, 65536u);
}

TEST_F(PreferencesTest, UsesNothingOfAMalformedFile) {
  write(local, "[metalcore]\nmath_mode = \"fast\"\nwarmup = = 1\n");
  const auto reading = read();
  ASSERT_EQ(reading.warnings.size(), 1u);
  EXPECT_EQ(reading.warnings[0].rfind(at(local, 3), 0), 0u) << reading.warnings[0];
  EXPECT_NE(reading.warnings[0].find(", so nothing of the file is used."), std::string::npos);
  EXPECT_EQ(reading.preferences.math_mode, MathMode::safe);
}

TEST_F(PreferencesTest, SurvivesAnyBytes) {
  for (const std::string &text :
       {std::string("\0\0\0", 3), std::string("\xff\xfe[metalcore]"), std::string(100'000, '['),
        std::string("[metalcore]\nwarmup"), std::string("metalcore = 3\n")}) {
    write(local, text);
    EXPECT_EQ(read().warnings.size(), 1u);
  }
  write(local, "");
  EXPECT_EQ(read().warnings.size(), 0u);
}

TEST_F(PreferencesTest, WarnsOfWhatIsNoFile) {
  fs::create_directory(local);
  ASSERT_EQ(mkfifo(user.c_str(), 0600), 0);
  EXPECT_EQ(read().warnings,
            (std::vector<std::string>{'"' + local.string() + "\": it is not a regular file.",
                                      '"' + user.string() + "\": it is not a regular file."}));
}

TEST_F(PreferencesTest, WarnsOfAFileThatCannotBeRead) {
  write(local, "[metalcore]\n");
  fs::permissions(local.parent_path(), fs::perms(0755));
  fs::permissions(local, fs::perms::none);
  EXPECT_EQ(test::exit_code_of_child([&] {
              const std::vector<std::string> expected{'"' + local.string() +
                                                      "\": Permission denied."};
              return test::drop_root() && read().warnings == expected ? 0 : 1;
            }),
            0);
}

TEST_F(PreferencesTest, WarnsOfValuesOfOtherTypes) {
  write(local, "[metalcore]\ncpu_threads = 1.5\nlog_level = 2020-02-02\ndevice = [1]\n");
  const auto reading = read();
  EXPECT_EQ(reading.warnings,
            (std::vector<std::string>{
                at(local, 4) + "the preference \"device\" has a value that is not the name or the "
                               "index of a device; the default (\"\") is used.",
                at(local, 2) + "the preference \"cpu_threads\" is \"1.5\", but must be a whole "
                               "number from 0 to 65536; the default (\"0\") is used.",
                at(local, 3) + "the preference \"log_level\" has a value that is not \"debug\", "
                               "\"info\", \"warning\", \"error\" or \"off\"; the default "
                               "(\"warning\") is used."}));
  EXPECT_EQ(reading.preferences.cpu_threads, 0u);
}

TEST(UserPreferencesPath, FollowsTheEnvironment) {
  using platform::user_preferences_path;
  EXPECT_EQ(user_preferences_path({{"XDG_CONFIG_HOME", "/x"}, {"HOME", "/h"}}),
            "/x/metalcore/preferences.toml");
  EXPECT_EQ(user_preferences_path({{"XDG_CONFIG_HOME", "relative"}, {"HOME", "/h"}}),
            "/h/.config/metalcore/preferences.toml");
  EXPECT_EQ(user_preferences_path({}), "");
}

} // namespace
} // namespace metalcore
