#pragma once

#include "core/failure.hpp"
#include "support/fork.hpp"
#include "support/guarded.hpp"
#include "support/trace.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <future>
#include <list>
#include <memory>
#include <string>
#include <unordered_map>
#include <variant>

namespace metalcore {

/// Counts of a cache. A hit found a value, or a build to join; a miss began a build.
struct CacheCounters {
  std::atomic<uint64_t> hits = 0;
  std::atomic<uint64_t> misses = 0;
};

/// Values by key, each built once however many threads ask for it: the first builds, the others
/// join its build. Different keys build at the same time; nothing is built or waited for under the
/// lock. A failure reaches everybody who waited and is not kept. At most `capacity` values are
/// kept, the most recently used. Thread-safe; in a forked child, values stay and builds under way
/// are begun anew. Value is copied out: a shared_ptr or another handle.
template <typename Value> class SingleFlight {
public:
  SingleFlight(std::size_t capacity, ErrorKind kind_of_other_failures, CacheCounters &counters)
      : capacity_(capacity), other_failures_(kind_of_other_failures), counters_(counters) {}

  /// `key` spells the whole request. `build` returns the value or throws.
  template <typename Build> Value get(const std::string &key, Build &&build) {
    std::promise<Outcome> promise;
    const Found found = flights_.with([&](Flights &flights) { return flights.find(key, promise); });
    ++(found.is_new ? counters_.misses : counters_.hits);
    if (found.is_new)
      fly(key, found.ticket, promise, std::forward<Build>(build));
    else
      join(found.outcome);
    const Outcome &outcome = found.outcome.get();
    if (const auto *failure = std::get_if<Failure>(&outcome))
      failure->raise();
    return std::get<Value>(outcome);
  }

  /// Values kept; builds under way are not counted.
  std::size_t size() const {
    return flights_.with([](const Flights &flights) { return flights.kept.size(); });
  }

private:
  using Outcome = std::variant<Value, Failure>;

  struct Found {
    std::shared_future<Outcome> outcome;
    uint64_t ticket;
    bool is_new; ///< the caller keeps the promise
  };

  struct Flight {
    std::shared_future<Outcome> outcome;
    uint64_t ticket; ///< tells this build from a later one of the same key
    uint64_t generation = fork::generation();
    std::list<std::string>::iterator kept; ///< its place in `kept`, once it is done
    bool is_done = false;
  };

  struct Flights {
    std::unordered_map<std::string, Flight> by_key;
    std::list<std::string> kept; ///< keys of values, the most recently used first
    uint64_t tickets = 0;

    Found find(const std::string &key, std::promise<Outcome> &promise) {
      if (const auto found = by_key.find(key); found != by_key.end()) {
        Flight &flight = found->second;
        if (flight.is_done)
          kept.splice(kept.begin(), kept, flight.kept);
        if (flight.is_done || flight.generation == fork::generation())
          return {flight.outcome, flight.ticket, false};
        by_key.erase(found); // its builder did not come along into this process
      }
      Flight flight{promise.get_future().share(), ++tickets, fork::generation(), {}, false};
      Found result{flight.outcome, flight.ticket, true};
      by_key.emplace(key, std::move(flight));
      return result;
    }
  };

  static void join(const std::shared_future<Outcome> &outcome) {
    if (trace::is_on() && outcome.wait_for(std::chrono::seconds(0)) != std::future_status::ready) {
      const trace::Span span("wait", "build of another thread");
      outcome.wait();
    }
  }

  template <typename Build>
  void fly(const std::string &key, uint64_t ticket, std::promise<Outcome> &promise, Build &&build) {
    auto outcome = [&]() -> Outcome {
      try {
        // The compiler and the driver have locks and threads of their own.
        const fork::Section section;
        return std::forward<Build>(build)();
      } catch (...) {
        return Failure::current(other_failures_);
      }
    }();
    const bool is_value = std::holds_alternative<Value>(outcome);
    promise.set_value(std::move(outcome));
    const auto dropped =
        flights_.with([&](Flights &flights) { return finish(flights, key, ticket, is_value); });
  }

  /// Returns what is no longer kept, to be destroyed outside of the lock.
  std::list<Flight> finish(Flights &flights, const std::string &key, uint64_t ticket,
                           bool is_value) {
    std::list<Flight> dropped;
    const auto drop = [&](auto flight) {
      dropped.push_back(std::move(flight->second));
      flights.by_key.erase(flight);
    };
    const auto found = flights.by_key.find(key);
    if (found == flights.by_key.end() || found->second.ticket != ticket)
      return dropped;
    if (!is_value) {
      drop(found);
      return dropped;
    }
    flights.kept.push_front(key);
    found->second.kept = flights.kept.begin();
    found->second.is_done = true;
    while (flights.kept.size() > capacity_) {
      drop(flights.by_key.find(flights.kept.back()));
      flights.kept.pop_back();
    }
    return dropped;
  }

  const std::size_t capacity_;
  const ErrorKind other_failures_;
  CacheCounters &counters_;
  Guarded<Flights> flights_;
};

} // namespace metalcore
