#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace hostmetal::cpu {

/// "AMD EPYC 9354 32-Core Processor"; the machine's architecture where it has no name.
std::string cpu_name();

/// CPUs that the process may use: its affinity mask and its control groups' quota, rounded up.
uint32_t allowed_cpu_count();

/// Bytes of memory that the process may use: the machine's, or its control groups' limit.
uint64_t allowed_memory();

/// The limits that the control groups of a process set (both versions of Linux's interface).
struct ControlGroupLimits {
  double cpus;     ///< infinity: none
  uint64_t memory; ///< bytes; UINT64_MAX: none
};
/// `membership` has the form of /proc/self/cgroup; `root` is where the hierarchies are mounted.
ControlGroupLimits control_group_limits(const std::filesystem::path &membership,
                                        const std::filesystem::path &root);

} // namespace hostmetal::cpu
