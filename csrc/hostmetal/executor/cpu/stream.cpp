#include "hostmetal/executor/cpu/stream.hpp"

#include "hostmetal/executor/cpu/dispatch.hpp"
#include "hostmetal/executor/cpu/thread.hpp"
#include "hostmetal/executor/cpu/worker.hpp"
#include "hostmetal/image/mipmaps.hpp"

#include <condition_variable>
#include <cstring>
#include <deque>
#include <exception>
#include <mutex>

namespace hostmetal::cpu {
namespace {

using namespace std::chrono_literals;

constexpr auto idle_spin_time = 50us;

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Runs one command; returns why it failed, or an empty string.
struct CommandRunner {
  Worker &worker;
  uint32_t thread_count;

  std::string operator()(const Dispatch &command) const {
    return run_dispatch(command, worker, thread_count);
  }
  std::string operator()(const DispatchIndirect &command) const {
    return run_dispatch(command, worker, thread_count);
  }
  std::string operator()(const Copy &command) const {
    std::memmove(command.destination, command.source, command.size);
    return "";
  }
  std::string operator()(const Fill &command) const {
    std::memset(command.destination, command.value, command.size);
    return "";
  }
  std::string operator()(const image::CopyPixels &command) const {
    image::copy_pixels(command);
    return "";
  }
  std::string operator()(const GenerateMipmaps &command) const {
    image::generate_mipmaps(*command.texture, command.is_volume);
    return "";
  }
  std::string operator()(const Wait &command) const {
    command.event->wait(command.value, UINT64_MAX);
    return "";
  }
  std::string operator()(const Signal &command) const {
    command.event->signal(command.value);
    return "";
  }
};

struct Submission {
  std::vector<Command> commands;
  std::function<void()> scheduled;
  std::function<void(const Outcome &)> completed;
};

void run(Submission submission, Worker &worker, uint32_t thread_count) {
  if (submission.scheduled)
    submission.scheduled();
  Outcome outcome;
  outcome.start = seconds_now();
  for (const Command &command : submission.commands) {
    if (!outcome.error.empty() && !std::holds_alternative<Signal>(command))
      continue;
    std::string error;
    try {
      error = std::visit(CommandRunner{worker, thread_count}, command);
    } catch (const StackOverflow &overflow) {
      error = overflow.what();
      outcome.is_stack_overflow = true;
    } catch (const std::exception &exception) {
      error = std::string("A command failed: ") + exception.what() + ".";
    }
    if (outcome.error.empty())
      outcome.error = std::move(error);
  }
  outcome.end = seconds_now();
  // Whoever hears of the end may expect that nothing is held any more.
  submission.commands.clear();
  if (submission.completed)
    submission.completed(outcome);
}

} // namespace

/// The queue of a stream and the thread that empties it.
class CpuStream::Lane : public std::enable_shared_from_this<Lane> {
public:
  void submit(Submission submission, uint32_t thread_count) {
    bool must_wake;
    {
      const std::lock_guard lock(mutex_);
      if (!thread_.joinable())
        thread_ = start_thread("hm-stream", [self = shared_from_this(), thread_count] {
          self->run_submissions(thread_count);
        });
      queue_.push_back(std::move(submission));
      has_news_.store(true, std::memory_order_release);
      must_wake = is_asleep_;
    }
    if (must_wake)
      news_.notify_one();
  }

  /// Returns when the queue is empty and the thread has ended; on that thread, at once.
  void finish() {
    std::thread thread;
    {
      const std::lock_guard lock(mutex_);
      must_end_ = true;
      has_news_.store(true, std::memory_order_release);
      thread = std::move(thread_);
    }
    news_.notify_one();
    if (thread.get_id() == std::this_thread::get_id())
      thread.detach();
    else if (thread.joinable())
      thread.join();
  }

private:
  void run_submissions(uint32_t thread_count) {
    const uint32_t generation = fork_generation();
    Worker worker;
    for (;;) {
      spin_until([&] { return has_news_.load(std::memory_order_acquire); }, idle_spin_time);
      std::unique_lock lock(mutex_);
      is_asleep_ = true;
      news_.wait(lock, [&] { return !queue_.empty() || must_end_; });
      is_asleep_ = false;
      if (queue_.empty())
        return;
      Submission submission = std::move(queue_.front());
      queue_.pop_front();
      has_news_.store(!queue_.empty() || must_end_, std::memory_order_relaxed);
      lock.unlock();
      run(std::move(submission), worker, thread_count);
      // A callback forked, and this is the child: what is queued belongs to the parent.
      if (fork_generation() != generation)
        return;
    }
  }

  std::mutex mutex_;
  std::condition_variable news_;
  std::deque<Submission> queue_;
  std::atomic<bool> has_news_{false}; // something in the queue, or the end
  bool is_asleep_ = false;
  bool must_end_ = false;
  std::thread thread_;
};

CpuStream::SharedLane CpuStream::make_lane() {
  return std::make_shared<Lane>();
}

CpuStream::~CpuStream() {
  if (LaneOfProcess *lane = lane_.peek())
    lane->lane->finish();
}

void CpuStream::submit(std::vector<Command> commands, std::function<void()> scheduled,
                       std::function<void(const Outcome &)> completed) {
  lane_.get().lane->submit({std::move(commands), std::move(scheduled), std::move(completed)},
                           thread_count_);
}

} // namespace hostmetal::cpu
