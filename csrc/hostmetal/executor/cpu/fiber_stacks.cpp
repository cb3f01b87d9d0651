#include "hostmetal/executor/cpu/fiber_stacks.hpp"

#include <atomic>
#include <new>
#include <sys/mman.h>
#include <unistd.h>

namespace hostmetal::cpu {
namespace {

constexpr uint32_t stack_count = HM_MAX_THREADS_PER_THREADGROUP;

// Linux 6.13: guard pages that cost no mapping. The C library's headers may not know it yet.
constexpr int madvise_guard_install = 102;

// A page protected with mprotect splits its mapping in two, and a process has 65,530 of them by
// default; the stacks of many workers would exhaust that, so only these many are guarded so.
constexpr uint32_t max_protected_guards = 16 * 1024;
std::atomic<uint32_t> protected_guards{0};

/// True when the guard took a mapping.
bool install_guard(void *page, size_t size) {
  if (madvise(page, size, madvise_guard_install) == 0)
    return false;
  if (protected_guards.fetch_add(1, std::memory_order_relaxed) < max_protected_guards &&
      mprotect(page, size, PROT_NONE) == 0)
    return true;
  protected_guards.fetch_sub(1, std::memory_order_relaxed);
  return false;
}

} // namespace

FiberStacks::FiberStacks()
    : page_size_(static_cast<size_t>(sysconf(_SC_PAGESIZE))), stride_(page_size_ + stack_size) {
  annotated_.reserve(stack_count);
  free_.reserve(stack_count);
  void *memory = mmap(nullptr, stride_ * stack_count, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (memory == MAP_FAILED)
    throw std::bad_alloc();
  memory_ = static_cast<std::byte *>(memory);
  // A huge page would give memory to dozens of stacks that are never used.
  madvise(memory_, stride_ * stack_count, MADV_NOHUGEPAGE);
}

FiberStacks::~FiberStacks() {
  for (metalcore::AnnotatedStack &stack : annotated_)
    stack.forget_fiber();
  munmap(memory_, stride_ * stack_count);
  protected_guards.fetch_sub(guard_count_, std::memory_order_relaxed);
}

std::byte *FiberStacks::bottom(uint32_t stack) const {
  return memory_ + stride_ * stack + page_size_;
}

std::byte *FiberStacks::top(uint32_t stack) const {
  // Stacks that all ended at a page's end would compete for the same few sets of the cache.
  const size_t colour = stack % 16 * 256;
  return bottom(stack) + stack_size - colour;
}

void FiberStacks::prepare_next() {
  const auto stack = static_cast<uint32_t>(annotated_.size());
  if (install_guard(bottom(stack) - page_size_, page_size_))
    ++guard_count_;
  annotated_.emplace_back().describe_fiber(bottom(stack), stack_size);
  free_.push_back(stack);
}

} // namespace hostmetal::cpu
