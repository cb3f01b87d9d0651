#include "fixture.hpp"

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <future>
#include <set>
#include <thread>

#include <unistd.h>

using namespace metal_library;

namespace {

class DispatchQueueTest : public MetalTest {};

} // namespace

TEST_F(DispatchQueueTest, RunsBlocksInOrderOnAnotherThread) {
  dispatch_queue_t queue = dispatch_queue_create("test", DISPATCH_QUEUE_SERIAL);
  auto order = std::make_shared<std::vector<int>>();
  auto running = std::make_shared<std::atomic<int>>(0);
  auto done = std::make_shared<std::promise<std::thread::id>>();
  for (int i = 0; i < 200; ++i)
    dispatch_async(queue, ^{
      EXPECT_EQ(running->fetch_add(1), 0);
      order->push_back(i);
      running->fetch_sub(1);
    });
  dispatch_async(queue, ^{
    done->set_value(std::this_thread::get_id());
  });
  dispatch_release(queue); // what was handed over still runs
  EXPECT_NE(done->get_future().get(), std::this_thread::get_id());
  ASSERT_EQ(order->size(), 200u);
  EXPECT_TRUE(std::is_sorted(order->begin(), order->end()));
}

TEST_F(DispatchQueueTest, KeepsItsThreadForTheNextBlock) {
  dispatch_queue_t queue = dispatch_queue_create("test", DISPATCH_QUEUE_SERIAL);
  std::set<pid_t> threads;
  for (int i = 0; i < 5; ++i) {
    auto thread = std::make_shared<std::promise<pid_t>>();
    dispatch_async(queue, ^{
      thread->set_value(gettid());
    });
    threads.insert(thread->get_future().get());
    std::this_thread::sleep_for(std::chrono::milliseconds(5)); // it has nothing to do
  }
  EXPECT_EQ(threads.size(), 1u);
  dispatch_release(queue);
}

TEST_F(DispatchQueueTest, ItsThreadEndsWithIt) {
  const auto has_thread = [] {
    for (const auto &task : std::filesystem::directory_iterator("/proc/self/task")) {
      std::string name;
      std::getline(std::ifstream(task.path() / "comm"), name);
      if (name == "ends with it")
        return true;
    }
    return false;
  };
  dispatch_queue_t queue = dispatch_queue_create("ends with it", DISPATCH_QUEUE_SERIAL);
  auto done = std::make_shared<std::promise<bool>>();
  dispatch_async(queue, ^{
    done->set_value(has_thread());
  });
  EXPECT_TRUE(done->get_future().get());
  dispatch_release(queue);
  while (has_thread()) // or the test takes too long
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

TEST_F(DispatchQueueTest, LetsGoOfItsBlocks) {
  dispatch_queue_t queue = dispatch_queue_create(nullptr, DISPATCH_QUEUE_SERIAL);
  auto captured = std::make_shared<int>(0);
  auto done = std::make_shared<std::promise<void>>();
  { // The block's original dies with this scope.
    dispatch_async(queue, ^{
      *captured = 1;
    });
  }
  dispatch_async(queue, ^{
    done->set_value();
  });
  done->get_future().get();
  EXPECT_EQ(*captured, 1);
  EXPECT_EQ(captured.use_count(), 1);
  dispatch_release(queue);
}

TEST_F(DispatchQueueTest, AQueueThatWaitsHoldsUpNoOther) {
  dispatch_queue_t first = dispatch_queue_create("first", DISPATCH_QUEUE_SERIAL);
  dispatch_queue_t second = dispatch_queue_create("second", DISPATCH_QUEUE_SERIAL);
  auto gate = std::make_shared<std::promise<void>>();
  auto open = std::make_shared<std::shared_future<void>>(gate->get_future().share());
  dispatch_async(first, ^{
    EXPECT_EQ(open->wait_for(std::chrono::seconds(60)), std::future_status::ready);
  });
  dispatch_async(second, ^{
    gate->set_value();
  });
  EXPECT_EQ(open->wait_for(std::chrono::seconds(60)), std::future_status::ready);
  dispatch_release(first);
  dispatch_release(second);
}
