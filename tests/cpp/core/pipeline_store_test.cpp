#include "core/pipeline_store.hpp"

#include "support/log.hpp"
#include "support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <stdlib.h>

namespace metalcore {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

TEST(PipelineKey, DependsOnAllOfTheRequest) {
  const Digest one = sha256("one"), two = sha256("two");
  const std::vector<std::pair<std::string, FunctionConstants>> requests = {
      {"k", {}},
      {"l", {}},
      {"k", {{"a", int64_t{1}}}},
      {"k", {{"a", uint64_t{1}}}},
      {"k", {{"a", 1.0}}},
      {"k", {{"a", true}}},
      {"k", {{"a", int64_t{2}}}},
      {"k", {{"b", int64_t{1}}}},
      {"k", {{"a", int64_t{1}}, {"b", int64_t{1}}}}};
  std::set<Digest> keys;
  for (const Digest &library : {one, two})
    for (const char *device : {"CPU", "GPU"})
      for (const auto &[kernel, constants] : requests) {
        keys.insert(pipeline_key(library, device, {kernel, constants}));
        EXPECT_EQ(pipeline_key(library, device, {kernel, constants}),
                  pipeline_key(library, device, {kernel, constants}));
      }
  EXPECT_EQ(keys.size(), 4 * requests.size());
}

class PipelineStoreTest : public testing::Test {
protected:
  std::shared_ptr<DiskStore> files(uint64_t max_size = 1u << 20) {
    std::string why_not;
    auto files = DiskStore::open(folder_, max_size, why_not);
    EXPECT_TRUE(files) << why_not;
    return files;
  }

  std::optional<std::string> load(PipelineStore &store) {
    bool is_damaged = true;
    auto bytes = store.load(key_, is_damaged);
    EXPECT_FALSE(is_damaged);
    return bytes;
  }

  const test::TemporaryFolder own_;
  const fs::path folder_ = own_.path();
  const Digest key_ = sha256("key");
};

TEST_F(PipelineStoreTest, KeepsInTheBackground) {
  PipelineStore store(files());
  EXPECT_EQ(load(store), std::nullopt);
  std::thread::id maker;
  store.keep_later(key_, "k", false, [&](DiskStore &) {
    maker = std::this_thread::get_id();
    return std::optional<std::string>("code");
  });
  ASSERT_TRUE(store.writer().wait(60s));
  EXPECT_NE(maker, std::this_thread::get_id());
  EXPECT_EQ(load(store), "code");
  PipelineStore again(files());
  EXPECT_EQ(load(again), "code");
  const auto stats = store.stats();
  EXPECT_EQ(stats.misses, 1u);
  EXPECT_EQ(stats.stored, 1u);
  EXPECT_EQ(stats.hits, 1u);
  EXPECT_EQ(stats.files, 1u);
}

TEST_F(PipelineStoreTest, WhatCannotBeUsedCountsAsDamaged) {
  PipelineStore store(files());
  files()->store(key_, "pipeline", "of another compiler");
  ASSERT_TRUE(load(store));
  store.note_unusable();
  EXPECT_EQ(store.stats().hits, 0u);
  EXPECT_EQ(store.stats().damaged, 1u);
}

TEST_F(PipelineStoreTest, WhatCannotBeMadeOrWrittenIsNotKept) {
  PipelineStore store(files(1000));
  store.keep_later(key_, "k", false, [](DiskStore &) { return std::optional<std::string>(); });
  store.keep_later(key_, "k", false, [](DiskStore &) -> std::optional<std::string> {
    throw std::runtime_error("no");
  });
  store.keep_later(key_, "k", false,
                   [](DiskStore &) { return std::optional(std::string(1000, 'x')); });
  ASSERT_TRUE(store.writer().wait(60s));
  EXPECT_EQ(load(store), std::nullopt);
  EXPECT_EQ(store.stats().files, 0u);
  EXPECT_EQ(store.stats().failed_stores, 2u);
}

TEST_F(PipelineStoreTest, ARepairIsLoggedOutsideOfTheCall) {
  PipelineStore store(files());
  const fs::path file = folder_ / (to_hex(key_) + ".pipeline");
  std::ofstream(file) << "garbage";
  bool is_damaged = false;
  EXPECT_EQ(store.load(key_, is_damaged), std::nullopt);
  EXPECT_TRUE(is_damaged);
  EXPECT_EQ(store.stats().damaged, 1u);
  std::vector<std::string> messages;
  log::set_threshold(log::Level::debug);
  log::set_sink([&](log::Level, std::string_view message) { messages.emplace_back(message); });
  store.keep_later(key_, "k", true, [](DiskStore &) { return std::optional<std::string>("code"); });
  ASSERT_TRUE(store.writer().wait(60s));
  log::set_sink({});
  log::set_threshold(log::Level::warning);
  EXPECT_EQ(messages, std::vector{"Pipeline \"k\" was compiled anew: its file in the cache \"" +
                                  folder_.string() + "\" is damaged or of another compiler."});
  EXPECT_EQ(load(store), "code");
}

} // namespace
} // namespace metalcore
