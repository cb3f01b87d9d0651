#include "core/warmup_profile.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace metalcore {
namespace {

std::shared_ptr<const LibraryRequest> library(const std::string &source) {
  return std::make_shared<const LibraryRequest>(LibraryRequest{source, {}, MathMode::safe});
}

ProfileEntry entry(const std::string &kernel) {
  return {nullptr, {kernel, {}}};
}

std::string kernels(const Profile &profile) {
  std::string names;
  for (const ProfileEntry &each : profile)
    names += (names.empty() ? "" : " ") + each.pipeline.kernel;
  return names;
}

Profile parsed(const std::string &text) {
  std::string why_not;
  const auto profile = parse_profile(text, why_not);
  EXPECT_TRUE(profile) << why_not;
  return profile.value_or(Profile());
}

std::string refusal(const std::string &text) {
  std::string why_not;
  EXPECT_FALSE(parse_profile(text, why_not)) << text;
  return why_not;
}

/// Everything that a profile can hold.
Profile full_profile() {
  const auto first = library("kernel void a() {}\n// \"quotes\" \\ \x01 \xc3\xa9");
  const auto second = std::make_shared<const LibraryRequest>(
      LibraryRequest{"kernel void b() {}", {{"A", "1"}, {"B", ""}}, MathMode::fast});
  return {{first, {"a", {}}},
          {nullptr, {"fill_32", {}}, "", 3},
          {second,
           {"b",
            {{"flag", true},
             {"i", int64_t{-5}},
             {"least", std::numeric_limits<int64_t>::min()},
             {"most", std::numeric_limits<uint64_t>::max()},
             {"one", uint64_t{1}},
             {"inf", -std::numeric_limits<double>::infinity()},
             {"nan", std::nan("")},
             {"tenth", 0.1},
             {"zero", -0.0}}},
           "compiler 1",
           0},
          {first, {"a2", {{"off", false}}}}};
}

TEST(WarmupProfile, ReadsWhatItWrote) {
  const Profile profile = full_profile();
  const std::string text = profile_text(profile);
  const Profile again = parsed(text);
  ASSERT_EQ(again.size(), profile.size());
  for (std::size_t i = 0; i < profile.size(); ++i) {
    EXPECT_EQ(again[i].key(), profile[i].key()) << i;
    EXPECT_EQ(again[i].blocked_by, profile[i].blocked_by);
    EXPECT_EQ(again[i].runs_unused, profile[i].runs_unused);
  }
  EXPECT_EQ(again[0].library, again[3].library);
  EXPECT_EQ(profile_text(again), text);
  EXPECT_TRUE(parsed(profile_text({})).empty());
}

TEST(WarmupProfile, KeysTellRequestsApart) {
  const ProfileEntry base{library("s"), {"k", {{"c", int64_t{1}}}}};
  EXPECT_EQ(base.key().size(), 64u);
  EXPECT_EQ(base.key(), (ProfileEntry{library("s"), {"k", {{"c", int64_t{1}}}}, "x", 2}).key());
  EXPECT_NE(base.key(), (ProfileEntry{library("t"), {"k", {{"c", int64_t{1}}}}}).key());
  EXPECT_NE(base.key(), (ProfileEntry{nullptr, {"k", {{"c", int64_t{1}}}}}).key());
  EXPECT_NE(base.key(), (ProfileEntry{library("s"), {"l", {{"c", int64_t{1}}}}}).key());
  EXPECT_NE(base.key(), (ProfileEntry{library("s"), {"k", {{"c", uint64_t{1}}}}}).key());
  EXPECT_NE(base.key(), (ProfileEntry{library("s"), {"k", {}}}).key());
}

TEST(WarmupProfile, EveryPartOfAFileIsNone) {
  const std::string text = profile_text(full_profile());
  std::string why_not;
  // The newline at the end is no part of the JSON.
  for (std::size_t length = 0; length + 1 < text.size(); ++length)
    EXPECT_FALSE(parse_profile(text.substr(0, length), why_not)) << length;
}

TEST(WarmupProfile, AnyDamageIsHarmless) {
  const std::string text = profile_text(full_profile());
  for (std::size_t i = 0; i < text.size(); ++i)
    for (const char damage : {'\0', '"', '9', '{', '\xff', static_cast<char>(text[i] ^ 0x20)}) {
      std::string damaged = text;
      damaged[i] = damage;
      std::string why_not;
      if (const auto profile = parse_profile(damaged, why_not))
        EXPECT_LE(profile->size(), most_profile_entries);
      else
        EXPECT_NE(why_not, "");
    }
}

TEST(WarmupProfile, SaysWhatIsWrong) {
  const auto with = [](const std::string &libraries, const std::string &pipelines) {
    return R"({"format": 1, "libraries": [)" + libraries + R"(], "pipelines": [)" + pipelines +
           "]}";
  };
  const std::string good = R"({"source": "s", "macros": {}, "math_mode": "safe"})";
  const auto pipeline = [](const std::string &library, const std::string &constants,
                           const std::string &unused = "0") {
    return R"({"library": )" + library + R"(, "kernel": "k", "constants": )" + constants +
           R"(, "runs_unused": )" + unused + R"(, "blocked_by": ""})";
  };
  EXPECT_EQ(parsed(with(good, pipeline("0", "{}"))).size(), 1u);
  EXPECT_EQ(refusal("x"), "it is not JSON");
  EXPECT_EQ(refusal("[]"), "\"format\" is missing");
  EXPECT_EQ(refusal("3"), "\"format\" is missing");
  EXPECT_EQ(refusal("{}"), "\"format\" is missing");
  EXPECT_EQ(refusal(R"({"format": 2})"), "its format is not 1");
  EXPECT_EQ(refusal(R"({"format": "1"})"), "its format is not 1");
  EXPECT_EQ(refusal(R"({"format": 1})"), "\"libraries\" is missing");
  EXPECT_EQ(refusal(R"({"format": 1, "libraries": {}})"),
            "\"libraries\" is not a list, or too long");
  EXPECT_EQ(refusal(with("7", "")), "\"source\" is missing");
  EXPECT_EQ(refusal(with(R"({"source": 1})", "")), "a source is not a text, or too long");
  EXPECT_EQ(refusal(with(R"({"source": "", "macros": []})", "")),
            "\"macros\" is not a table, or too large");
  EXPECT_EQ(refusal(with(R"({"source": "", "macros": {"A": 1}})", "")),
            "a macro's value is not a text, or too long");
  EXPECT_EQ(refusal(with(R"({"source": "", "macros": {}, "math_mode": "wild"})", "")),
            "\"wild\" is no math mode");
  for (const char *number : {"1", "-1", "0.5", "\"0\"", "1e3", "true"})
    EXPECT_EQ(refusal(with(good, pipeline(number, "{}"))),
              "a library's number is not a whole number below 1");
  EXPECT_EQ(refusal(with(good, pipeline("0", "{}", "11"))),
            "\"runs_unused\" is not a whole number below 11");
  const std::string pair = "a function constant is not a type and a value";
  EXPECT_EQ(refusal(with(good, pipeline("0", R"({"c": 1})"))), pair);
  EXPECT_EQ(refusal(with(good, pipeline("0", R"({"c": ["int"]})"))), pair);
  EXPECT_EQ(refusal(with(good, pipeline("0", R"({"c": ["half", "1"]})"))),
            "\"half\" is no type of a function constant");
  EXPECT_EQ(refusal(with(good, pipeline("0", R"({"c": ["bool", "1"]})"))),
            "a function constant of type bool is neither true nor false");
  for (const char *value : {R"(["int", "1x"])", R"(["int", ""])", R"(["uint", "-1"])",
                            R"(["int", "9223372036854775808"])", R"(["float", "0.5"])"})
    EXPECT_NE(refusal(with(good, pipeline("0", R"({"c": )" + std::string(value) + "}")))
                  .find("is no value of a function constant"),
              std::string::npos);
}

TEST(WarmupProfile, RefusesWhatIsTooLarge) {
  EXPECT_NE(refusal(R"({"format": 1, "libraries": [{"source": ")" +
                    std::string(most_profile_source + 1, ' ') + "\"}]}"),
            "");
  EXPECT_NE(refusal(std::string(1u << 20, '[')), "");
  EXPECT_NE(refusal(std::string(1u << 20, '[') + std::string(1u << 20, ']')), "");
}

TEST(WarmupProfile, MergingPutsThisRunFirst) {
  const Profile stored = {entry("a"), entry("b"), entry("c"), entry("d")};
  const Profile next = merged(stored, {{entry("x"), entry("c"), entry("a")}, {}, "now"});
  EXPECT_EQ(kernels(next), "x c a b d");
  EXPECT_EQ(next[1].runs_unused, 0u);
  EXPECT_EQ(next[3].runs_unused, 1u);
  EXPECT_EQ(next[4].runs_unused, 1u);
}

TEST(WarmupProfile, LaterSavesOfARunDoNotAgeAgain) {
  Profile profile = merged({entry("old")}, {{entry("a")}, {}, "now"});
  profile = merged(profile, {{entry("a"), entry("b")}, {}, "now", /*is_first_save=*/false});
  EXPECT_EQ(kernels(profile), "a b old");
  EXPECT_EQ(profile[2].runs_unused, 1u);
}

TEST(WarmupProfile, WhatIsNotUsedForLongFallsOut) {
  Profile profile = {entry("old")};
  for (uint32_t run = 1; run <= most_runs_unused; ++run) {
    profile = merged(profile, {{entry("a")}, {}, "now"});
    EXPECT_EQ(kernels(profile), "a old") << run;
  }
  EXPECT_EQ(kernels(merged(profile, {{entry("old")}, {}, "now"})), "old a"); // in time
  EXPECT_EQ(kernels(merged(profile, {{entry("a")}, {}, "now"})), "a");
}

TEST(WarmupProfile, WhatFailedIsBlockedUntilTheProgramUsesIt) {
  Profile profile = merged({entry("a"), entry("b")}, {{}, {entry("a"), entry("shipped")}, "one"});
  EXPECT_EQ(kernels(profile), "a b shipped");
  EXPECT_EQ(profile[0].blocked_by, "one");
  EXPECT_EQ(profile[1].blocked_by, "");
  EXPECT_EQ(profile[2].blocked_by, "one");
  profile = merged(profile, {{entry("b")}, {}, "two"});
  EXPECT_EQ(kernels(profile), "b a shipped");
  EXPECT_EQ(profile[1].blocked_by, "one");
  profile = merged(profile, {{entry("a")}, {entry("a")}, "two"});
  EXPECT_EQ(profile[0].blocked_by, "");
}

TEST(WarmupProfile, IsBounded) {
  Profile many;
  for (std::size_t i = 0; i < most_profile_entries + 10; ++i)
    many.push_back(entry(std::to_string(i)));
  Profile kept = bounded(many);
  EXPECT_EQ(kept.size(), most_profile_entries);
  EXPECT_EQ(kept.back().pipeline.kernel, std::to_string(most_profile_entries - 1));
  EXPECT_EQ(kernels(bounded({entry("a"), entry("b"), entry("a")})), "a b");

  const auto large = library(std::string(most_profile_source - 10, 'x'));
  kept = bounded({{large, {"a", {}}},
                  {library("12345678901"), {"too much", {}}},
                  {large, {"b", {}}},
                  {library("1234567890"), {"c", {}}},
                  entry("d")});
  EXPECT_EQ(kernels(kept), "a b c d");
}

} // namespace
} // namespace metalcore
