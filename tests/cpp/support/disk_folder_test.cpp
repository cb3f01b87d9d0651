#include "disk_store_fixture.hpp"

#include <thread>
#include <vector>

#include <sys/resource.h>

namespace metalcore {
namespace {

using namespace std::chrono_literals;
using namespace test;

using DiskFolderTest = DiskStoreTest;

TEST_F(DiskFolderTest, IsForItsUserAlone) {
  ASSERT_TRUE(open()->store(key_, "pipeline", "code"));
  struct stat status;
  ASSERT_EQ(stat(folder_.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0700u);
  ASSERT_EQ(stat(path_of(key_).c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0600u);
}

TEST_F(DiskFolderTest, AFolderThatOthersCanChangeIsNotUsed) {
  const auto store = open();
  ASSERT_TRUE(store->store(key_, "pipeline", "code"));
  const std::string begin = "The folder \"" + folder_.string() + "\" is not used: it ";
  for (const auto &[mode, text] : {std::pair(0720, "0720"), std::pair(0702, "0702"),
                                   std::pair(0777, "0777"), std::pair(01777, "1777")}) {
    ASSERT_EQ(chmod(folder_.c_str(), static_cast<mode_t>(mode)), 0);
    EXPECT_EQ(refusal(), begin + "is writable by other users (mode " + text + ").");
    // Also where it was fine when the store was opened.
    EXPECT_FALSE(store->load(key_, "pipeline"));
    EXPECT_FALSE(store->store(key_of(1), "pipeline", "code"));
    EXPECT_EQ(store->prune().files + store->clear().files, 0u);
  }
  ASSERT_EQ(chmod(folder_.c_str(), 0755), 0);
  EXPECT_EQ(open()->load(key_, "pipeline"), "code");
  if (geteuid() == 0) {
    ASSERT_EQ(chown(folder_.c_str(), 4321, 0), 0);
    EXPECT_EQ(refusal(), begin + "belongs to user 4321 and not to user 0.");
    ASSERT_EQ(chown(folder_.c_str(), 0, 0), 0);
  }
  fs::rename(folder_, base_ / "moved");
  fs::create_directory_symlink(base_ / "moved", folder_);
  EXPECT_EQ(refusal(), begin + "is not a folder.");
  fs::remove(folder_);
  write_file(folder_, "a file");
  EXPECT_EQ(refusal(), begin + "is not a folder.");
}

TEST_F(DiskFolderTest, AReadOnlyFolderIsReadAndNothingIsLeftInIt) {
  ASSERT_TRUE(open()->store(key_, "pipeline", "code"));
  const int result = exit_code_of_child([&] {
    chmod(folder_.c_str(), 0500);
    if (geteuid() == 0 &&
        (chown(folder_.c_str(), 4321, 0) != 0 || chown(path_of(key_).c_str(), 4321, 0) != 0 ||
         chmod(base_.c_str(), 0755) != 0 || chmod(folder_.parent_path().c_str(), 0755) != 0 ||
         setuid(4321) != 0))
      return 1; // only for others than root does a mode mean anything
    const auto store = open();
    if (store->load(key_, "pipeline") != "code")
      return 2;
    if (store->store(key_of(1), "pipeline", "more") || store->stats().failed_stores != 1)
      return 3;
    return 0;
  });
  EXPECT_EQ(result, 0);
  EXPECT_EQ(file_count(), 2u); // the entry and the mark
}

TEST_F(DiskFolderTest, WhatCannotBeMadeIsOnlyAMiss) {
  const int result = exit_code_of_child([&] {
    chmod(base_.c_str(), 0555);
    if (geteuid() == 0 && setuid(4321) != 0)
      return 1;
    const auto store = open();
    return !store->load(key_, "pipeline") && !store->store(key_, "pipeline", "code") &&
                   store->stats().files == 0 && store->prune().files == 0
               ? 0
               : 2;
  });
  EXPECT_EQ(result, 0);
  EXPECT_FALSE(fs::exists(folder_));
  chmod(base_.c_str(), 0755);
}

TEST_F(DiskFolderTest, AFolderThatIsDeletedIsMadeAgain) {
  const auto store = open();
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(store->store(key_, "pipeline", "code"));
    fs::remove_all(base_ / "cache");
    EXPECT_EQ(store->load(key_, "pipeline"), std::nullopt);
  }
  // While several threads store and load.
  std::atomic<bool> stop = false;
  std::vector<std::thread> threads;
  std::atomic<int> wrong = 0;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; !stop; ++i) {
        const Digest key = key_of(i % 7);
        store->store(key, "pipeline", std::to_string(i % 7));
        const auto loaded = store->load(key, "pipeline");
        wrong += loaded && *loaded != std::to_string(i % 7);
        if (t == 0 && i % 3 == 0)
          store->prune();
      }
    });
  for (int i = 0; i < 100; ++i) {
    std::error_code ignored; // a file may come while the folder is emptied
    fs::remove_all(base_ / "cache", ignored);
  }
  stop = true;
  for (auto &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_TRUE(store->store(key_, "pipeline", "code"));
  EXPECT_EQ(store->load(key_, "pipeline"), "code");
}

TEST_F(DiskFolderTest, RemovesFoldersOfOtherBuildsThatNobodyUses) {
  const auto make = [&](const char *name, std::chrono::seconds age, bool is_marked) {
    std::string why_not;
    const fs::path sibling = folder_.parent_path() / name;
    const auto store = DiskStore::open(sibling, plenty, why_not);
    EXPECT_TRUE(store->store(key_, "pipeline", "code"));
    if (is_marked)
      set_age(sibling / ".metalcore-cache", age);
    else
      fs::remove(sibling / ".metalcore-cache");
    return sibling;
  };
  const fs::path old = make("old", 24h * 31, true);
  const fs::path recent = make("recent", 24h * 29, true);
  const fs::path foreign = make("foreign", 0s, false);
  const fs::path from_the_future = make("future", -24h * 365, true);
  const fs::path shared = make("shared", 24h * 31, true);
  write_file(shared / "notes.txt", "mine");
  ASSERT_TRUE(open()->store(key_, "pipeline", "code")); // the first store of a process looks
  EXPECT_FALSE(fs::exists(old));
  EXPECT_TRUE(fs::exists(recent / (to_hex(key_) + ".pipeline")));
  EXPECT_TRUE(fs::exists(foreign / (to_hex(key_) + ".pipeline")));
  EXPECT_TRUE(fs::exists(from_the_future / (to_hex(key_) + ".pipeline")));
  EXPECT_EQ(read_file(shared / "notes.txt"), "mine");
  EXPECT_FALSE(fs::exists(shared / (to_hex(key_) + ".pipeline")));
  // Opening notes the use.
  set_age(recent / ".metalcore-cache", 24h * 31);
  std::string why_not;
  ASSERT_TRUE(DiskStore::open(recent, plenty, why_not));
  open()->prune();
  EXPECT_TRUE(fs::exists(recent));
}

} // namespace
} // namespace metalcore
