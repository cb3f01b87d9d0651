#include "support/guarded.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <thread>
#include <type_traits>
#include <vector>

namespace metalcore {
namespace {

TEST(Guarded, OneThreadAtATimeSeesTheValue) {
  Guarded<long> counter(0L);
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&] {
      for (int n = 0; n < 10'000; ++n)
        counter.with([](long &value) { ++value; });
    });
  for (auto &thread : threads)
    thread.join();
  EXPECT_EQ(counter.with([](long value) { return value; }), 80'000);
}

TEST(Guarded, ReturnsByValue) {
  Guarded<std::vector<int>> guarded(std::vector<int>{1, 2});
  auto copy = guarded.with([](std::vector<int> &value) -> std::vector<int> & { return value; });
  copy.clear();
  EXPECT_EQ(guarded.with([](auto &value) { return value.size(); }), 2u);
}

TEST(Guarded, AnExceptionFreesTheLock) {
  Guarded<int> guarded(1);
  EXPECT_THROW(guarded.with([](int &) { throw std::runtime_error("no"); }), std::runtime_error);
  EXPECT_EQ(guarded.with([](int value) { return value; }), 1);
}

TEST(Guarded, AConstOneGivesConstAccess) {
  const Guarded<std::unique_ptr<int>> guarded(std::make_unique<int>(3));
  guarded.with([](auto &value) {
    static_assert(std::is_const_v<std::remove_reference_t<decltype(value)>>);
    EXPECT_EQ(*value, 3);
  });
}

} // namespace
} // namespace metalcore
