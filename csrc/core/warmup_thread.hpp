#pragma once

#include "core/compile_pool.hpp"
#include "metalcore/preferences.hpp"
#include "metalcore/warmup.hpp"
#include "support/guarded.hpp"
#include "support/worker.hpp"

#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace metalcore {

/// One stage of a warm-up.
struct WarmupTask {
  /// True when the process wants to end: a long stage returns early then.
  using StopCheck = std::function<bool()>;

  std::string name;
  std::function<void(const StopCheck &should_stop)> run; ///< what it throws ends the warm-up
  /// True for compiles: they run on the compile pool, at low priority, and the next stage does not
  /// wait for them. False for what a caller may be waiting for already, and what starts threads of
  /// its own, which would inherit a low priority.
  bool on_pool = false;
  /// Where the warm-up makes a pause: comes after it, and so after all other stages.
  bool is_after_pause = false;
};

/// Runs stages on a thread of its own, and on a compile pool, and says how far it is. Thread-safe.
/// In a forked child a warm-up that was running counts as cancelled and can be started again. Must
/// not be destroyed while a thread runs that shut_down gave up.
class WarmupThread {
public:
  /// Says how long to let the process alone, from the beginning of the warm-up on. The pause ends
  /// early when somebody asks for the warm-up. Unset: no pause.
  using Pause = std::function<std::chrono::nanoseconds()>;

  /// `pool` outlives it, and is its owner's to stop. `pause` is called on the thread.
  WarmupThread(std::vector<WarmupTask> tasks, CompilePool &pool, Pause pause = {});

  /// Starts where `wish` and the number of CPUs allow, and notes why where they do not. `source` is
  /// where the wish comes from. Never throws; only the first call counts.
  void start_if_allowed(Preferences::Warmup wish, const std::string &source,
                        unsigned cpus) noexcept;
  /// Starts unless it runs, ended by itself, or was shut down. What runs makes no more pauses.
  void start();
  /// Notes why nothing starts it by itself.
  void disable(const std::string &reason);
  WarmupReport report() const;
  /// Waits until it has ended, or `timeout` is over.
  WarmupReport wait(std::optional<std::chrono::nanoseconds> timeout) const;
  /// Waits until more than `seen` stages are done, it has ended, or `timeout` is over.
  WarmupReport wait_for_stage(std::size_t seen, std::chrono::nanoseconds timeout) const;
  /// Nothing starts it any more, and its stages are asked to end.
  void request_stop() noexcept;
  /// Asks it to stop and waits for that, no longer than `patience`: for the jobs of its pool too,
  /// unless that was stopped before. Nothing starts it again.
  void shut_down(std::chrono::nanoseconds patience) noexcept;

private:
  using Clock = std::chrono::steady_clock;

  struct Stage {
    std::string name;
    Clock::time_point begin;
    std::optional<double> seconds; ///< once it is done
  };

  struct State {
    uint64_t generation = fork::generation();
    WarmupState state = WarmupState::disabled;
    std::string reason = "Nothing has started the warm-up.";
    std::vector<Stage> stages;
    double cpu_seconds = 0;
    bool was_asked = false; ///< start_if_allowed was called
    bool is_shut_down = false;
    bool is_cut_short = false; ///< the pool had been stopped
    bool is_wanted = false;    ///< somebody asked for it: no pauses
    std::unique_ptr<Worker> worker;
    std::promise<void> change;
    std::shared_future<void> next_change = change.get_future().share();
    std::optional<std::string> failure; ///< of the first stage that failed

    void refresh();
    void changed();
    std::size_t stages_done() const;
    WarmupReport report() const;
  };

  void start(State &state);
  void run();
  void run_stages();
  std::future<void> begin(const WarmupTask &task);
  void run(const WarmupTask &task, std::size_t stage);
  void pause_until(Clock::time_point deadline) const;
  void end(WarmupState state, const std::string &reason);
  bool has_failed() const;
  bool should_stop() const;
  template <typename Reached>
  WarmupReport wait_until(Reached reached, std::optional<std::chrono::nanoseconds> timeout) const;

  const std::vector<WarmupTask> tasks_;
  CompilePool &pool_;
  const Pause pause_;
  mutable Guarded<State> state_;
};

} // namespace metalcore
