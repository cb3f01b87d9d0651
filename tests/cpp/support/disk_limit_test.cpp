#include "disk_store_fixture.hpp"
#include "support/disk_entry.hpp"

#include <random>
#include <vector>

namespace metalcore {
namespace {

using namespace std::chrono_literals;
using namespace test;

using DiskLimitTest = DiskStoreTest;

TEST_F(DiskLimitTest, TheLeastRecentlyUsedGoFirst) {
  constexpr uint64_t content = 1000 - DiskEntry::header_size;
  const auto store = open(10'000);
  for (int i = 0; i < 10; ++i) {
    ASSERT_TRUE(store->store(key_of(i), "pipeline", std::string(content, 'x')));
    set_age(path_of(key_of(i)), std::chrono::seconds(10'000 - i));
  }
  EXPECT_EQ(store->prune().files, 0u); // full, but not beyond the limit
  ASSERT_TRUE(store->load(key_of(0), "pipeline"));
  ASSERT_TRUE(store->store(key_of(10), "pipeline", std::string(content, 'x')));
  EXPECT_LE(store->stats().bytes, 10'000u);
  EXPECT_TRUE(fs::exists(path_of(key_of(0)))); // the oldest, but used since
  EXPECT_FALSE(fs::exists(path_of(key_of(1))));
  EXPECT_FALSE(fs::exists(path_of(key_of(2))));
  EXPECT_TRUE(fs::exists(path_of(key_of(9))));
  EXPECT_TRUE(fs::exists(path_of(key_of(10))));
}

TEST_F(DiskLimitTest, StaysBelowItsLimitWhateverIsStored) {
  std::mt19937 random(std::random_device{}());
  const auto store = open(100'000);
  for (int i = 0; i < 500; ++i) {
    const std::size_t size = std::uniform_int_distribution<std::size_t>(0, 30'000)(random);
    ASSERT_TRUE(store->store(key_of(i % 200), "pipeline", std::string(size, 'x')));
    ASSERT_LE(store->stats().bytes, 100'000u);
    ASSERT_TRUE(store->load(key_of(i % 200), "pipeline")); // never the one just stored
  }
  EXPECT_FALSE(store->store(key_, "pipeline", std::string(100'000, 'x')));
  EXPECT_FALSE(open(0)->store(key_, "pipeline", ""));
}

TEST_F(DiskLimitTest, NoticesWhatOtherProcessesStore) {
  const auto store = open(100'000);
  ASSERT_TRUE(store->store(key_of(0), "pipeline", "first")); // from here on it thinks it knows
  ASSERT_EQ(exit_code_of_child([&] {
              const auto other = open(plenty);
              for (int i = 1; i < 40; ++i)
                other->store(key_of(i), "pipeline", std::string(5000, 'x'));
              return 0;
            }),
            0);
  for (int i = 40; i < 43; ++i)
    ASSERT_TRUE(store->store(key_of(i), "pipeline", std::string(5000, 'x')));
  EXPECT_LE(store->stats().bytes, 100'000u);
}

TEST_F(DiskLimitTest, AClockThatWasSetBackBreaksNothing) {
  constexpr uint64_t content = 1000 - DiskEntry::header_size;
  const auto store = open(10'000);
  for (int i = 0; i < 9; ++i) {
    ASSERT_TRUE(store->store(key_of(i), "pipeline", std::string(content, 'x')));
    set_age(path_of(key_of(i)), -24h * 365); // written before the clock was set back
  }
  write_file(folder_ / ".new-1-2-3", "left");
  set_age(folder_ / ".new-1-2-3", -24h);
  ASSERT_TRUE(store->load(key_of(5), "pipeline")); // used now
  EXPECT_LE(fs::last_write_time(path_of(key_of(5))), fs::file_time_type::clock::now());
  ASSERT_TRUE(store->store(key_of(9), "pipeline", std::string(content, 'x')));
  ASSERT_TRUE(store->store(key_of(10), "pipeline", std::string(content, 'x')));
  EXPECT_TRUE(fs::exists(path_of(key_of(5))));
  EXPECT_TRUE(fs::exists(path_of(key_of(9))));
  EXPECT_TRUE(fs::exists(path_of(key_of(10))));
  EXPECT_LE(store->stats().bytes, 10'000u);
  EXPECT_FALSE(fs::exists(folder_ / ".new-1-2-3"));
}

TEST_F(DiskLimitTest, RemovesOldTemporariesAndLeavesForeignFiles) {
  const auto store = open();
  ASSERT_TRUE(store->store(key_, "pipeline", "code"));
  write_file(folder_ / ".new-1-2-3", "left by a process that was killed");
  set_age(folder_ / ".new-1-2-3", 61min);
  write_file(folder_ / ".new-4-5-6", "being written");
  const std::vector<std::string> foreign = {
      "notes.txt", std::string(64, 'a'), std::string(64, 'a') + ".Pipeline",
      std::string(64, 'g') + ".pipeline", std::string(63, 'a') + ".pipeline"};
  for (const std::string &name : foreign) {
    write_file(folder_ / name, "mine");
    set_age(folder_ / name, 24h * 365);
  }
  const auto pruned = store->prune();
  EXPECT_EQ(pruned.files, 1u);
  EXPECT_EQ(pruned.bytes, 33u);
  EXPECT_FALSE(fs::exists(folder_ / ".new-1-2-3"));
  EXPECT_TRUE(fs::exists(folder_ / ".new-4-5-6"));
  EXPECT_EQ(store->stats().files, 1u);
  const auto cleared = store->clear();
  EXPECT_EQ(cleared.files, 2u);
  EXPECT_EQ(store->load(key_, "pipeline"), std::nullopt);
  for (const std::string &name : foreign)
    EXPECT_EQ(read_file(folder_ / name), "mine") << name;
}

} // namespace
} // namespace metalcore
