#include "support/disk_store.hpp"

#include "child.hpp"
#include "support/disk_entry.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <random>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>

namespace metalcore {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using test::exit_code_of_child;

constexpr uint64_t plenty = uint64_t{1} << 30;

std::string read_file(const fs::path &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write_file(const fs::path &path, const std::string &content) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << content;
}

void set_age(const fs::path &path, std::chrono::seconds age) {
  fs::last_write_time(path, fs::file_time_type::clock::now() - age);
}

Digest key_of(int number) {
  return sha256(std::to_string(number));
}

class DiskStoreTest : public testing::Test {
protected:
  DiskStoreTest() {
    std::string name = (fs::temp_directory_path() / "disk-store-XXXXXX").string();
    base_ = mkdtemp(name.data());
    folder_ = base_ / "cache" / "build";
  }
  ~DiskStoreTest() override {
    chmod(folder_.c_str(), 0700);
    fs::remove_all(base_);
  }

  std::shared_ptr<DiskStore> open(uint64_t max_size = plenty) {
    std::string why_not;
    auto store = DiskStore::open(folder_, max_size, why_not);
    EXPECT_TRUE(store) << why_not;
    return store;
  }
  std::string refusal() {
    std::string why_not;
    EXPECT_FALSE(DiskStore::open(folder_, plenty, why_not));
    return why_not;
  }
  fs::path path_of(const Digest &key, const std::string &kind = "pipeline") const {
    return folder_ / (to_hex(key) + '.' + kind);
  }
  std::size_t file_count() const {
    std::size_t count = 0;
    for ([[maybe_unused]] const auto &entry : fs::directory_iterator(folder_))
      ++count;
    return count;
  }

  fs::path base_, folder_;
  const Digest key_ = key_of(0);
};

TEST_F(DiskStoreTest, GivesBackWhatItWasGiven) {
  const auto store = open();
  EXPECT_FALSE(fs::exists(folder_)); // the first store makes it
  for (const std::string &content :
       {std::string("code"), std::string(), std::string(100'000, '\0')}) {
    EXPECT_TRUE(store->store(key_, "pipeline", content));
    EXPECT_EQ(store->load(key_, "pipeline"), content);
    EXPECT_EQ(open()->load(key_, "pipeline"), content);
  }
  EXPECT_EQ(store->load(key_, "library"), std::nullopt);
  EXPECT_EQ(store->load(key_of(1), "pipeline"), std::nullopt);
  const auto stats = store->stats();
  EXPECT_EQ(stats.files, 1u);
  EXPECT_EQ(stats.bytes, fs::file_size(path_of(key_)));
  EXPECT_EQ(stats.hits, 3u);
  EXPECT_EQ(stats.misses, 2u);
  EXPECT_EQ(stats.stored, 3u);
  EXPECT_EQ(stats.damaged + stats.failed_stores, 0u);
}

TEST_F(DiskStoreTest, IsForItsUserAlone) {
  ASSERT_TRUE(open()->store(key_, "pipeline", "code"));
  struct stat status;
  ASSERT_EQ(stat(folder_.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0700u);
  ASSERT_EQ(stat(path_of(key_).c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0600u);
}

TEST_F(DiskStoreTest, TheSameContentGivesTheSameFile) {
  ASSERT_TRUE(open()->store(key_, "pipeline", "code"));
  const std::string first = read_file(path_of(key_));
  fs::remove_all(folder_);
  ASSERT_EQ(exit_code_of_child([&] { return open()->store(key_, "pipeline", "code") ? 0 : 1; }), 0);
  EXPECT_EQ(read_file(path_of(key_)), first);
}

TEST_F(DiskStoreTest, TakesOnlyShortPlainKinds) {
  const auto store = open();
  for (const char *kind : {"", "../x", "a.b", "Pipeline", "sixteenletters16", "a/b"}) {
    EXPECT_FALSE(store->store(key_, kind, "code")) << kind;
    EXPECT_FALSE(store->load(key_, kind)) << kind;
    store->remove(key_, kind);
  }
  EXPECT_TRUE(store->store(key_, "fifteenletters1", "code"));
  EXPECT_EQ(store->load(key_, "fifteenletters1"), "code");
}

TEST_F(DiskStoreTest, EveryTruncationIsAMiss) {
  const auto store = open();
  ASSERT_TRUE(store->store(key_, "pipeline", std::string(300, 'x')));
  const std::string intact = read_file(path_of(key_));
  for (std::size_t size = 0; size < intact.size(); ++size) {
    write_file(path_of(key_), intact.substr(0, size));
    ASSERT_EQ(store->load(key_, "pipeline"), std::nullopt) << size;
  }
  write_file(path_of(key_), intact + 'x');
  EXPECT_EQ(store->load(key_, "pipeline"), std::nullopt);
  EXPECT_EQ(store->stats().damaged, intact.size() + 1);
  write_file(path_of(key_), intact);
  EXPECT_EQ(store->load(key_, "pipeline"), std::string(300, 'x'));
}

TEST_F(DiskStoreTest, EveryFlippedBitIsAMiss) {
  const auto store = open();
  std::mt19937 random(std::random_device{}());
  std::string content(64, '\0');
  for (char &byte : content)
    byte = static_cast<char>(random());
  ASSERT_TRUE(store->store(key_, "pipeline", content));
  const std::string intact = read_file(path_of(key_));
  std::fstream file(path_of(key_), std::ios::binary | std::ios::in | std::ios::out);
  const auto put = [&](std::size_t place, char byte) {
    file.seekp(static_cast<std::streamoff>(place)).put(byte).flush();
  };
  for (std::size_t bit = 0; bit < 8 * intact.size(); ++bit) {
    put(bit / 8, static_cast<char>(intact[bit / 8] ^ (1 << (bit % 8))));
    ASSERT_EQ(store->load(key_, "pipeline"), std::nullopt) << "bit " << bit;
    put(bit / 8, intact[bit / 8]);
  }
  EXPECT_EQ(store->load(key_, "pipeline"), content);
}

TEST_F(DiskStoreTest, SwappedFilesAreMisses) {
  const auto store = open();
  ASSERT_TRUE(store->store(key_of(1), "pipeline", "one"));
  ASSERT_TRUE(store->store(key_of(2), "pipeline", "two"));
  ASSERT_TRUE(store->store(key_of(1), "library", "three"));
  fs::rename(path_of(key_of(1)), folder_ / "held");
  fs::rename(path_of(key_of(2)), path_of(key_of(1)));
  fs::rename(folder_ / "held", path_of(key_of(2)));
  EXPECT_FALSE(store->load(key_of(1), "pipeline"));
  EXPECT_FALSE(store->load(key_of(2), "pipeline"));
  fs::rename(path_of(key_of(1), "library"), path_of(key_of(1)));
  EXPECT_FALSE(store->load(key_of(1), "pipeline"));
}

TEST_F(DiskStoreTest, WhatIsNoFileOfItsUserIsAMissAndIsReplaced) {
  const auto store = open();
  ASSERT_TRUE(store->store(key_, "pipeline", "code"));
  const std::string intact = read_file(path_of(key_));
  const auto replace = [&](auto make) {
    fs::remove_all(path_of(key_));
    make();
    EXPECT_EQ(store->load(key_, "pipeline"), std::nullopt);
    EXPECT_TRUE(store->store(key_, "pipeline", "code"));
    EXPECT_EQ(store->load(key_, "pipeline"), "code");
  };
  write_file(base_ / "elsewhere", intact);
  replace([&] { fs::create_symlink(base_ / "elsewhere", path_of(key_)); });
  EXPECT_EQ(read_file(base_ / "elsewhere"), intact); // the link was replaced, not followed
  replace([&] { ASSERT_EQ(mkfifo(path_of(key_).c_str(), 0600), 0); });
  replace([&] {
    write_file(path_of(key_), intact);
    ASSERT_EQ(chmod(path_of(key_).c_str(), 0666), 0);
  });
  if (geteuid() == 0) // as an ordinary user, files cannot be given away
    replace([&] {
      write_file(path_of(key_), intact);
      ASSERT_EQ(chown(path_of(key_).c_str(), 4321, 0), 0);
    });
  // A folder with something in it is not removed for a cache's sake.
  fs::remove(path_of(key_));
  fs::create_directory(path_of(key_));
  write_file(path_of(key_) / "note", "mine");
  EXPECT_FALSE(store->load(key_, "pipeline"));
  EXPECT_FALSE(store->store(key_, "pipeline", "code"));
  EXPECT_EQ(store->stats().failed_stores, 1u);
  EXPECT_TRUE(fs::exists(path_of(key_) / "note"));
}

TEST_F(DiskStoreTest, AFolderThatOthersCanChangeIsNotUsed) {
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

TEST_F(DiskStoreTest, AReadOnlyFolderIsReadAndNothingIsLeftInIt) {
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

TEST_F(DiskStoreTest, WhatCannotBeMadeIsOnlyAMiss) {
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

TEST_F(DiskStoreTest, AFileThatMayNotGrowIsNotStored) {
  EXPECT_EQ(exit_code_of_child([&] {
              const rlimit limit{1000, 1000};
              setrlimit(RLIMIT_FSIZE, &limit);
              const auto store = open();
              return !store->store(key_, "pipeline", std::string(1000, 'x')) &&
                             store->store(key_, "pipeline", std::string(900, 'x'))
                         ? 0
                         : 1;
            }),
            0);
  EXPECT_EQ(file_count(), 2u);
}

TEST_F(DiskStoreTest, AFolderThatIsDeletedIsMadeAgain) {
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

TEST_F(DiskStoreTest, TheLeastRecentlyUsedGoFirst) {
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

TEST_F(DiskStoreTest, StaysBelowItsLimitWhateverIsStored) {
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

TEST_F(DiskStoreTest, NoticesWhatOtherProcessesStore) {
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

TEST_F(DiskStoreTest, AClockThatWasSetBackBreaksNothing) {
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

TEST_F(DiskStoreTest, RemovesOldTemporariesAndLeavesForeignFiles) {
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

TEST_F(DiskStoreTest, RemovesFoldersOfOtherBuildsThatNobodyUses) {
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

TEST_F(DiskStoreTest, ManyThreadsAndProcessesShareOneFolder) {
  const auto work = [&](int seed) {
    const auto store = open(40'000);
    std::mt19937 random(static_cast<unsigned>(seed));
    int wrong = 0;
    for (int i = 0; i < 300; ++i) {
      const int number = static_cast<int>(random() % 30);
      const std::string content(1000 + 50 * static_cast<std::size_t>(number),
                                static_cast<char>(number));
      if (random() % 2 == 0)
        store->store(key_of(number), "pipeline", content);
      const auto loaded = store->load(key_of(number), "pipeline");
      wrong += loaded && *loaded != content;
      wrong += static_cast<int>(store->stats().damaged);
    }
    return wrong;
  };
  std::vector<pid_t> children;
  for (int i = 0; i < 4; ++i) {
    const pid_t child = ::fork();
    if (child == 0)
      _exit(work(i) == 0 ? 0 : 1);
    children.push_back(child);
  }
  std::vector<std::thread> threads;
  std::atomic<int> wrong = 0;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] { wrong += work(100 + t); });
  for (auto &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0);
  for (const pid_t child : children) {
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  EXPECT_GT(open()->stats().files, 0u);
}

TEST_F(DiskStoreTest, WorksInAForkedChild) {
  const auto store = open();
  std::atomic<bool> stop = false;
  std::thread other([&] {
    for (int i = 0; !stop; ++i)
      store->store(key_of(i % 5), "pipeline", "code");
  });
  for (int i = 0; i < 30; ++i)
    EXPECT_EQ(exit_code_of_child([&] {
                return store->store(key_, "library", "child") &&
                               store->load(key_, "library") == "child" && store->prune().files == 0
                           ? 0
                           : 1;
              }),
              0);
  stop = true;
  other.join();
}

TEST_F(DiskStoreTest, RemovesOneFile) {
  const auto store = open();
  ASSERT_TRUE(store->store(key_, "pipeline", "code"));
  store->remove(key_, "library");
  EXPECT_TRUE(store->load(key_, "pipeline"));
  store->remove(key_, "pipeline");
  EXPECT_FALSE(store->load(key_, "pipeline"));
}

} // namespace
} // namespace metalcore
