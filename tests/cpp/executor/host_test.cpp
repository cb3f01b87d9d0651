#include "hostmetal/executor/cpu/host.hpp"

#include "kernels.hpp"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <unistd.h>

namespace hostmetal::test {
namespace {

namespace fs = std::filesystem;

class ControlGroups : public testing::Test {
protected:
  void SetUp() override {
    root_ = fs::temp_directory_path() / ("host_test_" + std::to_string(getpid()));
    fs::create_directories(root_);
  }
  void TearDown() override { fs::remove_all(root_); }
  void write(const fs::path &file, const std::string &text) {
    fs::create_directories((root_ / file).parent_path());
    std::ofstream(root_ / file) << text;
  }
  cpu::ControlGroupLimits limits() {
    return cpu::control_group_limits(root_ / "membership", root_);
  }

  fs::path root_;
};

TEST_F(ControlGroups, WithoutFilesThereIsNoLimit) {
  EXPECT_TRUE(std::isinf(limits().cpus));
  EXPECT_EQ(limits().memory, UINT64_MAX);
  write("membership", "nonsense\n:\n0::/a/b\n");
  EXPECT_TRUE(std::isinf(limits().cpus));
}

TEST_F(ControlGroups, VersionTwoTakesTheTightestOfTheParents) {
  write("membership", "0::/a/b\n");
  write("a/cpu.max", "150000 100000\n");
  write("a/b/cpu.max", "max 100000\n");
  write("a/b/memory.max", "max\n");
  write("a/memory.max", "1073741824\n");
  EXPECT_DOUBLE_EQ(limits().cpus, 1.5);
  EXPECT_EQ(limits().memory, 1u << 30);
  write("a/b/cpu.max", "50000 100000\n");
  EXPECT_DOUBLE_EQ(limits().cpus, 0.5);
}

TEST_F(ControlGroups, VersionOneHasOneHierarchyForEach) {
  write("membership", "4:memory:/x\n3:cpu,cpuacct:/y\n2:cpuset:/\n");
  write("memory/x/memory.limit_in_bytes", "123456789\n");
  write("cpu,cpuacct/y/cpu.cfs_quota_us", "300000\n");
  write("cpu,cpuacct/y/cpu.cfs_period_us", "100000\n");
  EXPECT_DOUBLE_EQ(limits().cpus, 3);
  EXPECT_EQ(limits().memory, 123456789u);
  write("cpu,cpuacct/y/cpu.cfs_quota_us", "-1\n");
  EXPECT_TRUE(std::isinf(limits().cpus));
}

TEST(Host, DescribesThisMachine) {
  EXPECT_FALSE(cpu_executor()->name().empty());
  EXPECT_GE(cpu::allowed_cpu_count(), 1u);
  EXPECT_GE(cpu_executor()->thread_count(), 1u);
  const double before = cpu_executor()->now();
  EXPECT_GE(cpu_executor()->now(), before);
}

} // namespace
} // namespace hostmetal::test
