#include "hostmetal/executor/cpu/memory.hpp"

#include "kernels.hpp"

#include <sys/mman.h>
#include <unistd.h>

namespace hostmetal::test {
namespace {

TEST(Memory, IsZeroedAndAlignedToAPage) {
  for (const uint64_t size : {1ul, 4095ul, 4097ul, 1ul << 20, (1ul << 21) - 1, (1ul << 22) + 5}) {
    const auto allocation = cpu_executor()->allocate(size, StorageMode::shared);
    ASSERT_NE(allocation->host_pointer(), nullptr);
    EXPECT_EQ(allocation->size(), size);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(allocation->host_pointer()) %
                  static_cast<uintptr_t>(sysconf(_SC_PAGESIZE)),
              0u);
    auto *bytes = static_cast<uint8_t *>(allocation->host_pointer());
    EXPECT_EQ(std::count(bytes, bytes + size, 0), static_cast<long>(size));
    std::fill(bytes, bytes + size, 0xAB);
  }
}

TEST(Memory, NothingIsNoCrash) {
  const auto allocation = cpu_executor()->allocate(0, StorageMode::private_);
  EXPECT_EQ(allocation->size(), 0u);
  EXPECT_NE(allocation->host_pointer(), nullptr);
}

TEST(Memory, BeyondTheMachineIsBadAlloc) {
  const auto executor = cpu_executor();
  EXPECT_GT(executor->memory_size(), 1u << 20);
  for (const uint64_t size : {executor->memory_size() + 1, uint64_t{1} << 62, UINT64_MAX})
    EXPECT_THROW(executor->allocate(size, StorageMode::shared), std::bad_alloc) << size;
}

TEST(Memory, TheLimitHoldsForTheSum) {
  cpu::Memory memory(64 * 1024);
  const auto first = memory.allocate(32 * 1024);
  auto second = memory.allocate(32 * 1024);
  EXPECT_THROW(memory.allocate(1), std::bad_alloc);
  second.reset();
  EXPECT_NE(memory.allocate(1), nullptr);
}

TEST(Memory, ComesBackZeroed) {
  constexpr uint64_t size = 4 * 1024 * 1024 + 4096;
  cpu::Memory memory(3 * size);
  void *last = nullptr;
  for (unsigned round = 0; round < cpu::SpareMappings::recurrence + 3; ++round) {
    const auto allocation = memory.allocate(size);
    auto *bytes = static_cast<uint8_t *>(allocation->host_pointer());
    EXPECT_EQ(std::count(bytes, bytes + size, 0), static_cast<long>(size));
    std::fill(bytes, bytes + size, 0xAB);
    if (round >= cpu::SpareMappings::recurrence) {
      EXPECT_EQ(bytes, last); // it was kept
    }
    last = bytes;
  }
  const auto other = memory.allocate(size - 4096);
  EXPECT_NE(other->host_pointer(), last);
}

TEST(Memory, WhatIsKeptDoesNotCount) {
  constexpr uint64_t size = 4 * 1024 * 1024;
  cpu::Memory memory(size);
  for (unsigned round = 0; round < cpu::SpareMappings::recurrence; ++round)
    memory.allocate(size).reset();
  EXPECT_NE(memory.allocate(size / 2), nullptr);
}

/// Whether the page at `address` is mapped.
bool is_mapped(void *address) {
  unsigned char residency = 0;
  return mincore(address, static_cast<size_t>(sysconf(_SC_PAGESIZE)), &residency) == 0;
}

std::byte *map(uint64_t size) {
  void *address = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  EXPECT_NE(address, MAP_FAILED);
  return static_cast<std::byte *>(address);
}

void make_recur(cpu::SpareMappings &spare, uint64_t size) {
  for (unsigned i = 1; i < cpu::SpareMappings::recurrence; ++i)
    spare.give(map(size), size);
}

TEST(SpareMappings, OldestMakesRoom) {
  constexpr uint64_t size = 1 << 20;
  cpu::SpareMappings spare(2 * size);
  make_recur(spare, size);
  EXPECT_EQ(spare.take(size), nullptr);
  std::byte *const mappings[] = {map(size), map(size), map(size)};
  for (std::byte *mapping : mappings)
    spare.give(mapping, size);
  EXPECT_FALSE(is_mapped(mappings[0]));
  EXPECT_EQ(spare.take(size), mappings[2]);
  EXPECT_EQ(spare.take(size), mappings[1]);
  EXPECT_EQ(spare.take(size), nullptr);
  spare.give(mappings[1], size);
  spare.give(mappings[2], size);
  EXPECT_EQ(spare.take(size / 2), nullptr);
  spare.drop();
  EXPECT_FALSE(is_mapped(mappings[1]));
  EXPECT_FALSE(is_mapped(mappings[2]));
}

TEST(SpareMappings, TooLargeIsNotKept) {
  constexpr uint64_t size = 1 << 20;
  cpu::SpareMappings spare(size - 1);
  make_recur(spare, size);
  std::byte *mapping = map(size);
  spare.give(mapping, size);
  EXPECT_FALSE(is_mapped(mapping));
  EXPECT_EQ(spare.take(size), nullptr);
}

TEST(Memory, WrappedMemoryIsNotOurs) {
  uint32_t value = 5;
  {
    const auto allocation = cpu_executor()->wrap(&value, sizeof(value));
    EXPECT_EQ(allocation->host_pointer(), &value);
    EXPECT_EQ(allocation->size(), sizeof(value));
  }
  EXPECT_EQ(value, 5u);
}

} // namespace
} // namespace hostmetal::test
