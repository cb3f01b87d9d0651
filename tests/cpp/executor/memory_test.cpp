#include "hostmetal/executor/cpu/memory.hpp"

#include "kernels.hpp"

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
