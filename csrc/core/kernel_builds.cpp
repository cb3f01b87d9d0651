#include "core/kernel_builds.hpp"

#include "core/failure.hpp"
#include "core/warmup.hpp"
#include "metalcore/pipeline.hpp"
#include "support/guarded.hpp"

#include <algorithm>
#include <atomic>
#include <map>

namespace metalcore {

namespace {

using namespace std::chrono_literals;

constexpr auto longest_wait = std::chrono::nanoseconds(24h * 365);

std::atomic<uint64_t> all_wanted = 0, all_done = 0;

void build(const WarmupKernel &kernel) {
  const Library library = kernel.library
                              ? *kernel.library
                              : Device::default_device().compile(kernel.source, kernel.options);
  library.pipeline(kernel.name, {kernel.constants});
}

} // namespace

struct KernelBuilds::Impl {
  struct State {
    std::size_t done = 0;
    std::map<std::size_t, Failure> failures; ///< by the kernel's place
    std::promise<void> all_done;
  };

  explicit Impl(std::vector<WarmupKernel> wanted) : kernels(std::move(wanted)) {}

  const std::vector<WarmupKernel> kernels;
  const uint64_t generation = fork::generation();
  Guarded<State> state;
  std::shared_future<void> end =
      state.with([](State &begun) { return begun.all_done.get_future().share(); });

  bool is_inherited() const { return generation != fork::generation(); }

  void run(std::size_t place, bool is_dropped) {
    std::optional<Failure> failure;
    try {
      if (is_dropped)
        failure = Failure(ErrorKind::unsupported, "The process ends.");
      else
        build(kernels[place]);
    } catch (...) {
      failure = Failure::current(ErrorKind::unsupported);
    }
    compile_pool().count_cpu_time();
    ++all_done;
    state.with([&](State &now) {
      if (failure)
        now.failures.emplace(place, *failure);
      if (++now.done == kernels.size())
        now.all_done.set_value();
    });
  }
};

KernelBuilds build_kernels(std::vector<WarmupKernel> kernels) {
  preferences(); // they are handed to Metal before a thread of ours exists
  auto impl = std::make_shared<KernelBuilds::Impl>(std::move(kernels));
  std::vector<CompilePool::Job> jobs;
  for (std::size_t i = 0; i < impl->kernels.size(); ++i)
    jobs.push_back([impl, i](bool is_dropped) { impl->run(i, is_dropped); });
  all_wanted += jobs.size();
  // Somebody asks for these; nobody has asked for what may wait already.
  compile_pool().post(std::move(jobs), CompilePool::Place::next);
  return KernelBuilds(std::move(impl));
}

bool KernelBuilds::wait(std::optional<std::chrono::nanoseconds> timeout) const {
  if (impl_->kernels.empty() || impl_->is_inherited())
    return true;
  const auto duration = std::clamp(timeout.value_or(longest_wait), 0ns, longest_wait);
  return impl_->end.wait_for(duration) == std::future_status::ready;
}

std::size_t KernelBuilds::wanted() const {
  return impl_->kernels.size();
}

std::size_t KernelBuilds::done() const {
  return impl_->state.with([](const Impl::State &state) { return state.done; });
}

std::vector<std::string> KernelBuilds::failures() const {
  const auto failures = impl_->state.with([](const Impl::State &state) { return state.failures; });
  std::vector<std::string> messages;
  for (const auto &[place, failure] : failures)
    messages.push_back("Kernel \"" + impl_->kernels[place].name + "\": " + failure.message());
  return messages;
}

void KernelBuilds::check() const {
  const auto first = impl_->state.with([](const Impl::State &state) -> std::optional<Failure> {
    if (state.failures.empty())
      return std::nullopt;
    return state.failures.begin()->second;
  });
  if (first)
    first->raise();
  if (impl_->is_inherited() && done() < wanted())
    throw Error(ErrorKind::unsupported, "The process was forked while the kernels were built.");
}

void describe_kernel_builds(WarmupReport &report) {
  report.kernels_done = all_done;
  report.kernels_wanted = all_wanted;
}

} // namespace metalcore
