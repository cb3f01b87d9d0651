#include "hostmetal/executor/cpu/notifier.hpp"

#include "hostmetal/executor/cpu/per_process.hpp"
#include "hostmetal/executor/cpu/thread.hpp"

#include <condition_variable>
#include <deque>
#include <mutex>

namespace hostmetal::cpu {
namespace {

/// Never destroyed: its thread may run until the process ends.
class Notifier {
public:
  void post(std::function<void()> call) {
    {
      const std::lock_guard lock(mutex_);
      if (!thread_.joinable())
        thread_ = start_thread("hm-events", [this] { run(); });
      calls_.push_back(std::move(call));
    }
    posted_.notify_one();
  }

private:
  void run() {
    const uint32_t generation = fork_generation();
    std::unique_lock lock(mutex_);
    for (;;) {
      posted_.wait(lock, [this] { return !calls_.empty(); });
      {
        const std::function<void()> call = std::move(calls_.front());
        calls_.pop_front();
        lock.unlock();
        call();
      }
      // The call forked, and this is the child: what is queued belongs to the parent.
      if (fork_generation() != generation)
        return;
      lock.lock();
    }
  }

  std::mutex mutex_;
  std::condition_variable posted_;
  std::deque<std::function<void()>> calls_;
  std::thread thread_;
};

constinit Leaked<PerProcess<Notifier>> notifier;

} // namespace

void post_notification(std::function<void()> call) {
  notifier.value.get().post(std::move(call));
}

} // namespace hostmetal::cpu
