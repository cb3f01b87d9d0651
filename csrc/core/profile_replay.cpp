#include "core/profile_replay.hpp"

#include <map>
#include <memory>

namespace metalcore {

namespace {

/// A replay under way. Its jobs share it: the pool may outlive the caller's wait.
class Replay : public std::enable_shared_from_this<Replay> {
public:
  Replay(ProgramProfile &profile, const Profile &entries, CompilePool &pool,
         std::function<void(const ProfileEntry &)> build, std::function<bool()> should_stop)
      : profile_(profile), entries_(entries), pool_(pool), build_(std::move(build)),
        should_stop_(std::move(should_stop)), progress_(entries.size()) {}

  ReplayCounts run() {
    std::map<std::string, std::size_t> numbers;
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      const auto &library = entries_[i].library;
      // Built-in kernels need no library that has to be compiled first.
      const std::string key = library ? library->key() : "built-in " + std::to_string(i);
      const auto [found, is_new] = numbers.emplace(key, libraries_.size());
      if (is_new)
        libraries_.emplace_back();
      libraries_[found->second].push_back(i);
    }
    std::vector<CompilePool::Job> jobs;
    for (const auto &library : libraries_)
      jobs.push_back([self = shared_from_this(), &library](bool is_dropped) {
        self->begin_library(library, is_dropped);
      });
    auto done = progress_.with([](Progress &progress) { return progress.done.get_future(); });
    pool_.post(std::move(jobs));
    if (!entries_.empty())
      done.wait();
    return progress_.with([](const Progress &progress) { return progress.counts; });
  }

private:
  using Entries = std::vector<std::size_t>; ///< their places

  struct Progress {
    explicit Progress(std::size_t left) : left(left) {}
    std::size_t left;
    ReplayCounts counts;
    std::promise<void> done;
  };

  void begin_library(const Entries &library, bool is_dropped) {
    if (is_dropped || should_stop_()) {
      end(library.size(), {});
      return;
    }
    const Entries others(library.begin() + 1, library.end());
    switch (build(library.front())) {
    case ProfileBuild::no_library:
      for (const std::size_t other : others)
        profile_.note_failure(entries_[other]);
      end(library.size(), {.built = 0, .failed = library.size()});
      return;
    case ProfileBuild::no_device:
      end(library.size(), {});
      return;
    case ProfileBuild::failed:
      end_after(others, {.built = 0, .failed = 1});
      return;
    case ProfileBuild::built:
      end_after(others, {.built = 1, .failed = 0});
      return;
    }
  }

  /// Ends one entry and queues the others of its library, before those of later ones.
  void end_after(const Entries &others, const ReplayCounts &counts) {
    std::vector<CompilePool::Job> jobs;
    for (const std::size_t other : others)
      jobs.push_back([self = shared_from_this(), other](bool is_dropped) {
        ReplayCounts counts;
        if (!is_dropped && !self->should_stop_()) {
          const ProfileBuild result = self->build(other);
          counts.built = result == ProfileBuild::built ? 1 : 0;
          counts.failed =
              result == ProfileBuild::built || result == ProfileBuild::no_device ? 0 : 1;
        }
        self->end(1, counts);
      });
    pool_.post(std::move(jobs), CompilePool::Place::next);
    end(1, counts);
  }

  ProfileBuild build(std::size_t place) {
    const ProfileEntry &entry = entries_[place];
    const ProfileBuild result = profile_.build(entry, [&] { build_(entry); });
    // What failed while the process ends may have been taken away by that.
    if (should_stop_() && result != ProfileBuild::built)
      return ProfileBuild::no_device;
    if (result == ProfileBuild::failed || result == ProfileBuild::no_library)
      profile_.note_failure(entry);
    pool_.count_cpu_time();
    return result;
  }

  void end(std::size_t count, const ReplayCounts &counts) {
    progress_.with([&](Progress &progress) {
      progress.counts.built += counts.built;
      progress.counts.failed += counts.failed;
      progress.left -= count;
      if (progress.left == 0)
        progress.done.set_value();
    });
  }

  ProgramProfile &profile_;
  const Profile entries_;
  CompilePool &pool_;
  const std::function<void(const ProfileEntry &)> build_;
  const std::function<bool()> should_stop_;
  std::vector<Entries> libraries_; ///< the places of each library's entries, the first used first
  Guarded<Progress> progress_;
};

} // namespace

ReplayCounts replay(ProgramProfile &profile, const Profile &entries, CompilePool &pool,
                    const std::function<void(const ProfileEntry &)> &build,
                    const std::function<bool()> &should_stop) {
  return std::make_shared<Replay>(profile, entries, pool, build, should_stop)->run();
}

} // namespace metalcore
