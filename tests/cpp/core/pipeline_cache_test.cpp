#include "core/pipeline_cache.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

namespace metalcore {
namespace {

TEST(PipelineRequest, EveryPartCounts) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<PipelineRequest> requests = {
      {"a", {}},
      {"b", {}},
      {"a", {{"n", true}}},
      {"a", {{"n", int64_t{1}}}},
      {"a", {{"n", uint64_t{1}}}},
      {"a", {{"n", 1.0}}},
      {"a", {{"n", 0.0}}},
      {"a", {{"n", -0.0}}},
      {"a", {{"n", nan}}},
      {"a", {{"m", nan}}},
      {"a", {{"n", nan}, {"m", nan}}},
      {"an", {}},
  };
  std::set<std::string> keys;
  for (const auto &request : requests) {
    EXPECT_EQ(request.key(), PipelineRequest(request).key());
    keys.insert(request.key());
  }
  EXPECT_EQ(keys.size(), requests.size());
}

TEST(LibraryRequest, EveryPartCounts) {
  const std::vector<LibraryRequest> requests = {
      {"source", {}, MathMode::safe},
      {"source", {}, MathMode::fast},
      {"source ", {}, MathMode::safe},
      {"source", {{"A", ""}}, MathMode::safe},
      {"source", {{"A", "1"}}, MathMode::safe},
      {"source", {{"A1", ""}}, MathMode::safe},
      {"source", {{"A", "1"}, {"B", "2"}}, MathMode::safe},
      {std::string("source\0", 7), {}, MathMode::safe},
  };
  std::set<std::string> keys;
  for (const auto &request : requests)
    keys.insert(request.key());
  EXPECT_EQ(keys.size(), requests.size());
}

TEST(PipelineCache, BuildsEachRequestOnce) {
  CacheCounters counters;
  std::vector<std::string> built;
  PipelineCache cache(
      [&](const PipelineRequest &request) {
        built.push_back(request.kernel);
        return std::shared_ptr<Pipeline::Impl>();
      },
      counters);
  cache.get({"a", {}});
  cache.get({"b", {}});
  cache.get({"a", {}});
  cache.get({"a", {{"n", std::nan("")}}});
  cache.get({"a", {{"n", std::nan("")}}});
  EXPECT_EQ(built, (std::vector<std::string>{"a", "b", "a"}));
  EXPECT_EQ(counters.hits, 2u);
  EXPECT_EQ(counters.misses, 3u);
  EXPECT_EQ(cache.size(), 3u);
}

TEST(LibraryCache, KeepsABoundedNumber) {
  CacheCounters counters;
  LibraryCache cache([](const LibraryRequest &) { return std::shared_ptr<Library::Impl>(); },
                     counters);
  for (int i = 0; i < 1000; ++i)
    cache.get({std::to_string(i), {}, MathMode::safe});
  EXPECT_EQ(counters.misses, 1000u);
  EXPECT_LT(cache.size(), 1000u);
  EXPECT_GT(cache.size(), 100u);
}

} // namespace
} // namespace metalcore
