#include "disk_store_fixture.hpp"
#include "support/disk_entry.hpp"

#include <random>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <sys/resource.h>

namespace metalcore {
namespace {

using namespace std::chrono_literals;
using namespace test;

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

TEST_F(DiskStoreTest, TakesBackWhatWasWrittenForIt) {
  const auto store = open();
  const fs::path place = store->temporary_path();
  EXPECT_EQ(place.parent_path(), folder_);
  EXPECT_NE(store->temporary_path(), place);
  write_file(place, "bytes");
  ASSERT_EQ(chmod(place.c_str(), 0600), 0);
  EXPECT_EQ(store->take_temporary(place), "bytes");
  EXPECT_EQ(store->take_temporary(place), std::nullopt); // it is gone
  // What others could have written is removed, and not believed.
  write_file(place, "bytes");
  ASSERT_EQ(chmod(place.c_str(), 0622), 0);
  EXPECT_EQ(store->take_temporary(place), std::nullopt);
  EXPECT_FALSE(fs::exists(place));
  // Of files that are no temporaries of this folder it keeps off.
  write_file(base_ / place.filename(), "mine");
  write_file(folder_ / "mine", "mine");
  for (const fs::path &path : {base_ / place.filename(), folder_ / "mine", place / ".." / "mine"}) {
    EXPECT_EQ(store->take_temporary(path), std::nullopt) << path;
    EXPECT_TRUE(path.filename() == "mine" || fs::exists(path)) << path;
  }
  EXPECT_EQ(read_file(folder_ / "mine"), "mine");
  // There is no place where the folder is not to be used.
  ASSERT_EQ(chmod(folder_.c_str(), 0777), 0);
  EXPECT_EQ(store->temporary_path(), fs::path());
  EXPECT_EQ(store->take_temporary(folder_ / ".new-1"), std::nullopt);
}

} // namespace
} // namespace metalcore
