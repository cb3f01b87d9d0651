// This program uses Foundation in children only, so that each of them sets it up afresh.
#include "objc/attach_thread.hpp"

#include "support/child.hpp"

#include <gtest/gtest.h>

#include <barrier>
#include <thread>
#include <vector>

namespace metalcore::objc {
namespace {

/// What Foundation does at the end of a thread keeps addresses of two methods, and takes both for
/// known once it has the first.
TEST(AttachThread, TheFirstThreadsMayEndTogether) {
  constexpr int processes = 200;
  constexpr int thread_count = 4;
  for (int i = 0; i < processes; ++i)
    ASSERT_EQ(test::exit_code_of_child([] {
                std::barrier end(thread_count);
                std::vector<std::thread> threads;
                for (int k = 0; k < thread_count; ++k)
                  threads.emplace_back([&] {
                    attach_thread();
                    end.arrive_and_wait();
                  });
                for (std::thread &thread : threads)
                  thread.join();
                return 0;
              }),
              0)
        << i;
}

} // namespace
} // namespace metalcore::objc
