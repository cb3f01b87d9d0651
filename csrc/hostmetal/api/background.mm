#include "hostmetal/api/background.hpp"
#include "objc/autorelease_pool.hpp"

#include "support/fork.hpp"

#include <algorithm>
#include <thread>

namespace hostmetal::api {

namespace {

// Never destroyed: its threads may run while static objects go.
TaskQueue &background() {
  const metalcore::fork::Section section;
  static TaskQueue &queue =
      *new TaskQueue("hostmetal work", std::max(1u, std::thread::hardware_concurrency()));
  return queue;
}

} // namespace

void run_in_background(TaskQueue::Task task) {
  background().post([task = std::move(task)] {
    metalcore::objc::attach_thread();
    @autoreleasepool {
      task();
    }
  });
}

} // namespace hostmetal::api
