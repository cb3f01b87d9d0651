#include "hostmetal/executor/cpu/per_process.hpp"

#include <pthread.h>

namespace hostmetal::cpu {
namespace {

constinit std::atomic<uint32_t> generation{0};

[[maybe_unused]] const int registered =
    pthread_atfork(nullptr, nullptr, [] { generation.fetch_add(1, std::memory_order_relaxed); });

} // namespace

uint32_t fork_generation() {
  return generation.load(std::memory_order_relaxed);
}

} // namespace hostmetal::cpu
