#include "hostmetal/executor/executor.hpp"

#include "hostmetal/executor/cpu/event.hpp"
#include "hostmetal/executor/cpu/host.hpp"
#include "hostmetal/executor/cpu/kernel.hpp"
#include "hostmetal/executor/cpu/memory.hpp"
#include "hostmetal/executor/cpu/stream.hpp"

#include <charconv>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

namespace hostmetal {
namespace cpu {
namespace {

constexpr uint32_t max_thread_count = 1024;

/// HOSTMETAL_CPU_THREADS, or the CPUs that the process may use.
uint32_t configured_thread_count() {
  const char *text = std::getenv("HOSTMETAL_CPU_THREADS");
  if (text == nullptr || *text == '\0')
    return std::min(allowed_cpu_count(), max_thread_count);
  uint32_t count = 0;
  const char *end = text + std::strlen(text);
  const auto result = std::from_chars(text, end, count);
  if (result.ec != std::errc() || result.ptr != end || count < 1 || count > max_thread_count)
    throw std::invalid_argument("HOSTMETAL_CPU_THREADS (\"" + std::string(text) +
                                "\") must be a whole number from 1 to " +
                                std::to_string(max_thread_count) + ".");
  return count;
}

class CpuExecutor : public Executor {
public:
  std::string name() const override { return name_; }
  uint64_t memory_size() const override { return memory_.limit(); }
  uint32_t thread_count() const override { return thread_count_; }
  double now() const override {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
  }
  std::unique_ptr<Allocation> allocate(uint64_t size, StorageMode) override {
    return memory_.allocate(size);
  }
  std::unique_ptr<Allocation> wrap(void *host_pointer, uint64_t size) override {
    return Memory::wrap(host_pointer, size);
  }
  std::shared_ptr<const Kernel> load(image::Kernel reflection, HmKernelCode code,
                                     std::shared_ptr<const void> owner) override {
    if ((code.row != nullptr) == (code.thread != nullptr))
      throw std::invalid_argument("Kernel \"" + reflection.name +
                                  "\" must have code of exactly one form.");
    return std::make_shared<CpuKernel>(std::move(reflection), code, std::move(owner));
  }
  std::unique_ptr<Stream> make_stream() override {
    return std::make_unique<CpuStream>(thread_count_);
  }
  std::shared_ptr<Event> make_event(uint64_t value) override {
    return std::make_shared<CpuEvent>(value);
  }

private:
  const std::string name_ = cpu_name();
  const uint32_t thread_count_ = configured_thread_count();
  Memory memory_{allowed_memory()};
};

// Leaked, so that it can be used while the process ends. Holds no thread, and no lock that a fork
// could cut, so a forked child uses it on; what does hold them renews itself there
// (per_process.hpp).
constinit std::atomic<std::shared_ptr<Executor> *> instance{nullptr};

} // namespace
} // namespace cpu

std::shared_ptr<Executor> cpu_executor() {
  std::shared_ptr<Executor> *known = cpu::instance.load(std::memory_order_acquire);
  if (known != nullptr)
    return *known;
  auto *fresh = new std::shared_ptr<Executor>(std::make_shared<cpu::CpuExecutor>());
  if (cpu::instance.compare_exchange_strong(known, fresh, std::memory_order_acq_rel,
                                            std::memory_order_acquire))
    return *fresh;
  delete fresh;
  return *known;
}

} // namespace hostmetal
