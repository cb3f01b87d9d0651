#include "hostmetal/executor/cpu/dispatch.hpp"

#include "hostmetal/executor/cpu/grid.hpp"
#include "hostmetal/executor/cpu/kernel.hpp"
#include "hostmetal/executor/cpu/per_process.hpp"
#include "hostmetal/executor/cpu/worker_pool.hpp"

#include <atomic>
#include <chrono>
#include <cstring>
#include <vector>

namespace hostmetal::cpu {
namespace {

constinit Leaked<PerProcess<WorkerPool>> pool;

// Dynamic threadgroup arguments begin at multiples of this, as on Metal.
constexpr uint64_t threadgroup_alignment = 16;

uint64_t round_up(uint64_t size, uint64_t unit) {
  return (size + unit - 1) / unit * unit;
}

std::string named(const CpuKernel &kernel) {
  return "kernel \"" + kernel.reflection().name + "\"";
}

/// Why the dispatch cannot run; empty when it can.
std::string fault_of(const Dispatch &dispatch, const CpuKernel &kernel) {
  const image::Kernel &reflection = kernel.reflection();
  const size_t slots = reflection.arguments.size();
  if (dispatch.arguments.size() != slots || dispatch.argument_sizes.size() != slots ||
      dispatch.threadgroup_lengths.size() != slots)
    return "The number of bound arguments (" + std::to_string(dispatch.arguments.size()) +
           ") differs from that of " + named(kernel) + " (" + std::to_string(slots) + ").";
  const Size3 &size = dispatch.threads_per_threadgroup;
  const uint32_t limit =
      std::min(reflection.max_total_threads_per_threadgroup, HM_MAX_THREADS_PER_THREADGROUP);
  uint64_t threads = 1;
  for (uint32_t length : size)
    // Each factor is below 2^32 and the product before it at most 1024.
    if ((threads *= length) > limit || length == 0)
      return "The threadgroup size (" + std::to_string(size[0]) + " x " + std::to_string(size[1]) +
             " x " + std::to_string(size[2]) + ") must be from 1 to " + std::to_string(limit) +
             " threads for " + named(kernel) + ".";
  return "";
}

/// The groups of one dispatch as units of work.
class DispatchJob : public Job {
public:
  DispatchJob(const HmGrid &grid, const Size3 &threads, const GridPlan &plan,
              const HmKernelCode &code)
      : Job(plan.group_count, plan.batch), grid_(grid), threads_(threads), plan_(plan),
        code_(code) {}

  bool has_overflowed() const { return has_overflowed_.load(std::memory_order_relaxed); }

protected:
  void run(uint64_t begin, uint64_t end, Worker &worker) override {
    HmGroup group{};
    group.grid = &grid_;
    group.threadgroup_memory = worker.threadgroup_memory();
    FiberGroup *fibers = code_.thread ? &worker.fibers() : nullptr;
    GroupCursor cursor(plan_, threads_, begin);
    for (uint64_t i = begin; i < end; ++i, cursor.advance()) {
      cursor.describe(group.origin, group.position, group.size);
      if (fibers == nullptr)
        run_rows(group);
      else if (!fibers->run(group, code_.thread)) {
        has_overflowed_.store(true, std::memory_order_relaxed);
        return stop();
      }
    }
  }

private:
  void run_rows(const HmGroup &group) const {
    for (uint32_t z = 0; z < group.size[2]; ++z)
      for (uint32_t y = 0; y < group.size[1]; ++y)
        code_.row(&group, y, z);
  }

  const HmGrid &grid_;
  const Size3 &threads_;
  const GridPlan &plan_;
  const HmKernelCode &code_;
  std::atomic<bool> has_overflowed_{false};
};

/// Runs the job, and remembers what a thread of the kernel costs.
void run_timed(DispatchJob &job, const GridPlan &plan, const CpuKernel &kernel, Worker &worker,
               uint32_t thread_count) {
  const auto start = std::chrono::steady_clock::now();
  const uint64_t groups =
      plan.is_parallel ? pool.value.get().run(job, worker, thread_count - 1) : job.work(worker);
  const std::chrono::duration<double, std::nano> elapsed = std::chrono::steady_clock::now() - start;
  const double threads =
      static_cast<double>(groups) * plan.group_size[0] * plan.group_size[1] * plan.group_size[2];
  if (groups > 0)
    kernel.record(elapsed.count() / threads);
}

} // namespace

std::string run_dispatch(const Dispatch &dispatch, Worker &worker, uint32_t thread_count) {
  if (dispatch.kernel == nullptr)
    return "A dispatch has no kernel.";
  const auto &kernel = static_cast<const CpuKernel &>(*dispatch.kernel);
  if (std::string fault = fault_of(dispatch, kernel); !fault.empty())
    return fault;

  // Threadgroup memory: the kernel's own variables, then the arguments in the order of their slots.
  const std::vector<image::Argument> &arguments = kernel.reflection().arguments;
  std::vector<void *> addresses = dispatch.arguments;
  uint64_t memory = kernel.reflection().static_threadgroup_memory;
  for (size_t slot = 0; slot < arguments.size(); ++slot)
    if (arguments[slot].kind == image::ArgumentKind::threadgroup_memory) {
      memory = round_up(memory, threadgroup_alignment);
      addresses[slot] = reinterpret_cast<void *>(memory);
      memory += dispatch.threadgroup_lengths[slot];
    }
  if (memory > HM_MAX_THREADGROUP_MEMORY)
    return "The threadgroup memory (" + std::to_string(memory) + " bytes) of " + named(kernel) +
           " is larger than the limit (" + std::to_string(HM_MAX_THREADGROUP_MEMORY) + " bytes).";

  const Size3 &threads = dispatch.threads_per_grid;
  if (threads[0] == 0 || threads[1] == 0 || threads[2] == 0)
    return "";
  const auto plan = plan_grid({threads, dispatch.threads_per_threadgroup,
                               kernel.reflection().regroupable && kernel.code().row != nullptr,
                               thread_count, kernel.nanoseconds_per_thread()});
  if (!plan)
    return "The grid (" + std::to_string(threads[0]) + " x " + std::to_string(threads[1]) + " x " +
           std::to_string(threads[2]) + " threads) of " + named(kernel) + " is too large.";

  HmGrid grid{};
  grid.arguments = addresses.data();
  grid.argument_sizes = dispatch.argument_sizes.data();
  grid.runtime = &FiberGroup::runtime;
  grid.log = reinterpret_cast<HmLog *>(dispatch.log.get());
  for (int axis = 0; axis < 3; ++axis) {
    const uint32_t size = dispatch.threads_per_threadgroup[axis];
    grid.threads_per_grid[axis] = threads[axis];
    grid.threadgroups_per_grid[axis] = threads[axis] / size + (threads[axis] % size != 0);
    grid.threads_per_threadgroup[axis] = size;
  }
  DispatchJob job(grid, threads, *plan, kernel.code());
  run_timed(job, *plan, kernel, worker, thread_count);
  if (job.has_overflowed())
    throw StackOverflow("A thread of " + named(kernel) + " called functions so deep that the " +
                        std::to_string(FiberStacks::stack_size) + " bytes of its stack are full.");
  return job.error();
}

std::string run_dispatch(const DispatchIndirect &dispatch, Worker &worker, uint32_t thread_count) {
  uint32_t groups[3];
  std::memcpy(groups, dispatch.threadgroups, sizeof(groups));
  Dispatch direct = dispatch.dispatch;
  for (int axis = 0; axis < 3; ++axis) {
    const uint64_t threads = uint64_t{groups[axis]} * direct.threads_per_threadgroup[axis];
    if (threads > UINT32_MAX)
      return "The grid has " + std::to_string(threads) + " threads along axis " +
             std::to_string(axis) + ", and the limit is " + std::to_string(UINT32_MAX) + ".";
    direct.threads_per_grid[axis] = static_cast<uint32_t>(threads);
  }
  return run_dispatch(direct, worker, thread_count);
}

} // namespace hostmetal::cpu
