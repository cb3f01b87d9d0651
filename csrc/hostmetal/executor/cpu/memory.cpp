#include "hostmetal/executor/cpu/memory.hpp"

#include <new>
#include <sys/mman.h>
#include <unistd.h>

namespace hostmetal::cpu {
namespace {

// From here on memory is mapped so that huge pages fit: its first use costs a fraction of the
// faults.
constexpr uint64_t huge_page_size = 2 * 1024 * 1024;

uint64_t round_up(uint64_t size, uint64_t unit) {
  return (size + unit - 1) / unit * unit;
}

std::byte *map_pages(uint64_t size) {
  void *address = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return address == MAP_FAILED ? nullptr : static_cast<std::byte *>(address);
}

/// Maps a little more and gives the ends back.
std::byte *map_for_huge_pages(uint64_t size) {
  std::byte *address = map_pages(size + huge_page_size);
  if (address == nullptr)
    return nullptr;
  const uint64_t head = -reinterpret_cast<uintptr_t>(address) % huge_page_size;
  if (head > 0)
    munmap(address, head);
  munmap(address + head + size, huge_page_size - head);
  madvise(address + head, size, MADV_HUGEPAGE);
  return address + head;
}

class Wrapped : public Allocation {
public:
  Wrapped(void *host_pointer, uint64_t size) : host_pointer_(host_pointer), size_(size) {}
  void *host_pointer() const override { return host_pointer_; }
  uint64_t size() const override { return size_; }

private:
  void *host_pointer_;
  uint64_t size_;
};

} // namespace

class Memory::Pages : public Allocation {
public:
  Pages(Memory &memory, std::byte *address, uint64_t size, uint64_t mapped_size)
      : memory_(memory), address_(address), size_(size), mapped_size_(mapped_size) {}
  ~Pages() override {
    memory_.unmap(address_, mapped_size_);
    memory_.used_.fetch_sub(mapped_size_, std::memory_order_relaxed);
  }
  void *host_pointer() const override { return address_; }
  uint64_t size() const override { return size_; }

private:
  Memory &memory_;
  std::byte *address_;
  uint64_t size_;
  uint64_t mapped_size_;
};

bool Memory::reserve(uint64_t size) {
  uint64_t used = used_.load(std::memory_order_relaxed);
  do {
    if (size > limit_ || used > limit_ - size)
      return false;
  } while (!used_.compare_exchange_weak(used, used + size, std::memory_order_relaxed));
  return true;
}

std::byte *Memory::map(uint64_t size) {
  if (size < huge_page_size)
    return map_pages(size);
  if (std::byte *spare = spare_.take(size))
    return spare;
  if (std::byte *address = map_for_huge_pages(size))
    return address;
  spare_.drop();
  return map_for_huge_pages(size);
}

void Memory::unmap(std::byte *address, uint64_t size) {
  if (size < huge_page_size)
    munmap(address, size);
  else
    spare_.give(address, size);
}

std::unique_ptr<Allocation> Memory::allocate(uint64_t size) {
  const auto page_size = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  if (size > limit_)
    throw std::bad_alloc();
  const uint64_t mapped_size = round_up(size > 0 ? size : 1, page_size);
  if (!reserve(mapped_size))
    throw std::bad_alloc();
  std::byte *address = map(mapped_size);
  if (address == nullptr) {
    used_.fetch_sub(mapped_size, std::memory_order_relaxed);
    throw std::bad_alloc();
  }
  return std::make_unique<Pages>(*this, address, size, mapped_size);
}

std::unique_ptr<Allocation> Memory::wrap(void *host_pointer, uint64_t size) {
  return std::make_unique<Wrapped>(host_pointer, size);
}

} // namespace hostmetal::cpu
