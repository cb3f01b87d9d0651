// Random kernels of nested branches, loops, exchanges, barriers and returns, compared with a
// reference that runs a simdgroup in lockstep with a mask, as a GPU does.
#include "kernels.hpp"

#include <bit>
#include <random>

namespace hostmetal::test {
namespace {

struct Statement {
  enum class Kind { exchange, barrier, branch, loop, leave };
  Kind kind;
  uint64_t site = 0; // of an exchange, or of the one at the end of a loop's body
  uint32_t salt = 0; // decides, with the thread, on conditions and trips
  std::vector<Statement> first;
  std::vector<Statement> second;
};
using Block = std::vector<Statement>;

struct Program {
  Block block;
  uint32_t barriers = 0;
};

class Generator {
public:
  explicit Generator(std::mt19937 &random) : random_(random) {}

  Program make() {
    Program program;
    program.block = block(4, &program.barriers);
    return program;
  }

private:
  Block block(int depth, uint32_t *barriers) {
    Block statements;
    for (uint32_t count = 1 + random_() % 4; count > 0; --count) {
      Statement statement;
      statement.salt = static_cast<uint32_t>(random_());
      const uint32_t choice = random_() % 12;
      if (choice < 4 || depth == 0) {
        statement.kind = Statement::Kind::exchange;
        statement.site = next_site_++;
      } else if (choice < 6 && barriers != nullptr) {
        statement.kind = Statement::Kind::barrier;
        statement.site = (*barriers)++;
      } else if (choice < 9) {
        statement.kind = Statement::Kind::branch;
        statement.first = block(depth - 1, nullptr);
        statement.second = block(depth - 1, nullptr);
      } else if (choice < 11) {
        statement.kind = Statement::Kind::loop;
        statement.first = block(depth - 1, nullptr);
        statement.site = next_site_++;
      } else {
        statement.kind = Statement::Kind::leave;
      }
      statements.push_back(std::move(statement));
    }
    return statements;
  }

  std::mt19937 &random_;
  uint64_t next_site_ = 1;
};

/// What a thread has done; its choices depend on it.
struct Path {
  uint32_t thread;
  uint32_t rounds = 0;
  std::vector<uint32_t> masks; // of its exchanges

  uint32_t choose(uint32_t salt) const {
    uint32_t hash = salt ^ (thread * 2654435761u) ^ (rounds * 40503u);
    hash ^= hash >> 15;
    hash *= 2246822519u;
    return hash ^ (hash >> 13);
  }
  bool is_taken(uint32_t salt) const { return choose(salt) % 3 != 0; }
  uint32_t trips(uint32_t salt) const { return choose(salt) % 4; }
  bool leaves(uint32_t salt) const { return choose(salt) % 8 == 0; }
};

/// The reference: runs a block for the threads in `mask`; returns those that have not returned.
uint32_t run_lockstep(const Block &block, uint32_t mask, Path *lanes,
                      std::vector<uint32_t> &arrivals) {
  const auto those = [&](uint32_t mask, auto condition) {
    uint32_t result = 0;
    for (uint32_t lane = 0; lane < HM_SIMD_WIDTH; ++lane)
      if (mask >> lane & 1 && condition(std::as_const(lanes[lane])))
        result |= 1u << lane;
    return result;
  };
  const auto record = [&](uint32_t mask) {
    for (uint32_t lane = 0; lane < HM_SIMD_WIDTH; ++lane)
      if (mask >> lane & 1)
        lanes[lane].masks.push_back(mask);
  };
  for (const Statement &statement : block) {
    switch (statement.kind) {
    case Statement::Kind::exchange:
      record(mask);
      break;
    case Statement::Kind::barrier:
      arrivals[statement.site] += static_cast<uint32_t>(std::popcount(mask));
      break;
    case Statement::Kind::branch: {
      const uint32_t taken =
          those(mask, [&](const Path &path) { return path.is_taken(statement.salt); });
      const uint32_t rest = mask & ~taken;
      mask = run_lockstep(statement.first, taken, lanes, arrivals) |
             run_lockstep(statement.second, rest, lanes, arrivals);
      break;
    }
    case Statement::Kind::loop: {
      uint32_t trips[HM_SIMD_WIDTH];
      for (uint32_t lane = 0; lane < HM_SIMD_WIDTH; ++lane)
        trips[lane] = lanes[lane].trips(statement.salt);
      for (uint32_t round = 0; round < 4; ++round) {
        uint32_t looping = 0;
        for (uint32_t lane = 0; lane < HM_SIMD_WIDTH; ++lane)
          looping |= (round < trips[lane] ? 1u : 0u) << lane & mask;
        const uint32_t alive = run_lockstep(statement.first, looping, lanes, arrivals);
        record(alive);
        for (uint32_t lane = 0; lane < HM_SIMD_WIDTH; ++lane)
          lanes[lane].rounds += alive >> lane & 1;
        mask = (mask & ~looping) | alive;
      }
      break;
    }
    case Statement::Kind::leave:
      mask &= ~those(mask, [&](const Path &path) { return path.leaves(statement.salt); });
      break;
    }
  }
  return mask;
}

/// What the kernel works on.
struct Observation {
  const Program *program;
  std::vector<Path> paths;
  std::vector<uint32_t> arrivals; // at each barrier
  std::vector<uint32_t> expected_arrivals;
  std::atomic<uint32_t> faults{0};
};

void meet(const HmGroup *group, HmThread *thread, uint64_t site, Observation &run, Path &path) {
  const uint64_t mine = path.thread * 1000003u + site;
  const HmSimdFrame &frame = exchange(group, thread, site, mine);
  path.masks.push_back(frame.active);
  const uint32_t base = path.thread / HM_SIMD_WIDTH * HM_SIMD_WIDTH;
  for (uint32_t lane = 0; lane < HM_SIMD_WIDTH; ++lane)
    if (frame.active >> lane & 1 &&
        value_of<uint64_t>(frame, lane) != (base + lane) * 1000003u + site)
      ++run.faults;
}

/// Returns false when the thread returns.
bool run_thread(const Block &block, const HmGroup *group, HmThread *thread, Observation &run,
                Path &path) {
  for (const Statement &statement : block) {
    switch (statement.kind) {
    case Statement::Kind::exchange:
      meet(group, thread, statement.site, run, path);
      break;
    case Statement::Kind::barrier:
      ++run.arrivals[statement.site];
      barrier(group, thread);
      if (run.arrivals[statement.site] != run.expected_arrivals[statement.site])
        ++run.faults;
      break;
    case Statement::Kind::branch: {
      const bool is_taken = path.is_taken(statement.salt);
      if (!run_thread(is_taken ? statement.first : statement.second, group, thread, run, path))
        return false;
      break;
    }
    case Statement::Kind::loop: {
      const uint32_t trips = path.trips(statement.salt);
      for (uint32_t round = 0; round < trips; ++round) {
        if (!run_thread(statement.first, group, thread, run, path))
          return false;
        meet(group, thread, statement.site, run, path);
        ++path.rounds;
      }
      break;
    }
    case Statement::Kind::leave:
      if (path.leaves(statement.salt))
        return false;
      break;
    }
  }
  return true;
}

void run_program(const HmGroup *group, HmThread *thread) {
  Observation &run = *argument<Observation>(group, 0);
  run_thread(run.program->block, group, thread, run, run.paths[head(thread).index]);
}

TEST(FiberStress, RandomKernelsRunAsInLockstep) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  const auto kernel = make_kernel(run_program);
  const auto stream = cpu_executor()->make_stream();
  size_t exchanges = 0;
  for (int round = 0; round < 400; ++round) {
    const Program program = Generator(random).make();
    const uint32_t threads = 1 + static_cast<uint32_t>(random() % 100);
    Observation observed;
    observed.program = &program;
    observed.arrivals.resize(program.barriers);
    observed.expected_arrivals.resize(program.barriers);
    std::vector<Path> expected;
    for (uint32_t i = 0; i < (threads + 31) / 32 * 32; ++i)
      expected.push_back({i, 0, {}});
    observed.paths = expected;
    for (uint32_t first = 0; first < threads; first += 32)
      run_lockstep(program.block, ~0u >> (32 - std::min(32u, threads - first)), &expected[first],
                   observed.expected_arrivals);

    ASSERT_EQ(
        run(*stream, {make_dispatch(kernel, {&observed}, {threads, 1, 1}, {threads, 1, 1})}).error,
        "");
    EXPECT_EQ(observed.faults, 0u);
    EXPECT_EQ(observed.arrivals, observed.expected_arrivals);
    for (uint32_t i = 0; i < threads; ++i) {
      ASSERT_EQ(observed.paths[i].masks, expected[i].masks) << "round " << round << " thread " << i;
      exchanges += expected[i].masks.size();
    }
  }
  EXPECT_GT(exchanges, 10'000u);
}

} // namespace
} // namespace hostmetal::test
