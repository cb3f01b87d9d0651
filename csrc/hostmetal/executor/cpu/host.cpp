#include "hostmetal/executor/cpu/host.hpp"

#include "support/fork.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <optional>
#include <sched.h>
#include <set>
#include <sstream>
#include <string_view>
#include <sys/utsname.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace hostmetal::cpu {
namespace {

namespace fs = std::filesystem;

/// The whitespace-separated words of a one-line file; empty where there is none.
std::vector<std::string> words_of(const fs::path &file) {
  std::ifstream in(file);
  std::vector<std::string> words;
  for (std::string word; in >> word;)
    words.push_back(word);
  return words;
}

/// Empty for words like "max" and for negative numbers, which both mean that there is no limit.
std::optional<uint64_t> number_of(const std::vector<std::string> &words, size_t index) {
  if (index >= words.size() || words[index].find_first_not_of("0123456789") != std::string::npos)
    return std::nullopt;
  return std::strtoull(words[index].c_str(), nullptr, 10);
}

void limit_cpus(ControlGroupLimits &limits, std::optional<uint64_t> quota,
                std::optional<uint64_t> period) {
  if (quota && period && *quota > 0 && *period > 0)
    limits.cpus = std::min(limits.cpus, static_cast<double>(*quota) / static_cast<double>(*period));
}

void limit_memory(ControlGroupLimits &limits, std::optional<uint64_t> bytes) {
  if (bytes && *bytes > 0)
    limits.memory = std::min(limits.memory, *bytes);
}

void apply_version_2(ControlGroupLimits &limits, const fs::path &folder) {
  const auto cpu = words_of(folder / "cpu.max");
  limit_cpus(limits, number_of(cpu, 0), number_of(cpu, 1));
  limit_memory(limits, number_of(words_of(folder / "memory.max"), 0));
}

void apply_cpu_controller(ControlGroupLimits &limits, const fs::path &folder) {
  limit_cpus(limits, number_of(words_of(folder / "cpu.cfs_quota_us"), 0),
             number_of(words_of(folder / "cpu.cfs_period_us"), 0));
}

void apply_memory_controller(ControlGroupLimits &limits, const fs::path &folder) {
  limit_memory(limits, number_of(words_of(folder / "memory.limit_in_bytes"), 0));
}

/// Calls `apply` with the folder of a group and those of the groups above it.
template <typename Apply>
void for_each_group(const fs::path &mount, const fs::path &path, Apply &&apply) {
  fs::path folder = mount;
  apply(folder);
  for (const fs::path &step : path)
    apply(folder /= step);
}

bool has_controller(std::string_view controllers, std::string_view name) {
  std::istringstream in{std::string(controllers)};
  for (std::string controller; std::getline(in, controller, ',');)
    if (controller == name)
      return true;
  return false;
}

/// Those of this process, as they were when it first asked.
const ControlGroupLimits &own_limits() {
  const metalcore::fork::Section section; // the initialisation has a lock
  static const ControlGroupLimits limits =
      control_group_limits("/proc/self/cgroup", "/sys/fs/cgroup");
  return limits;
}

} // namespace

ControlGroupLimits control_group_limits(const fs::path &membership, const fs::path &root) {
  ControlGroupLimits limits{std::numeric_limits<double>::infinity(), UINT64_MAX};
  std::ifstream in(membership);
  // Lines are "4:cpu,cpuacct:/path", and "0::/path" for version 2. A group's limits bind those
  // below.
  for (std::string line; std::getline(in, line);) {
    const size_t first = line.find(':');
    const size_t second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos)
      continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const fs::path path = fs::path(line.substr(second + 1)).relative_path();
    if (controllers.empty())
      for (const fs::path &mount : {root, root / "unified"})
        for_each_group(mount, path,
                       [&](const fs::path &folder) { apply_version_2(limits, folder); });
    // Mounted under all its names, or under each.
    for (const auto &[controller, apply] :
         {std::pair{"cpu", &apply_cpu_controller}, std::pair{"memory", &apply_memory_controller}})
      if (has_controller(controllers, controller))
        for (const fs::path &mount : std::set{root / controllers, root / controller})
          for_each_group(mount, path, [&](const fs::path &folder) { apply(limits, folder); });
  }
  return limits;
}

std::string cpu_name() {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);) {
    const size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos)
      return line.substr(colon + 2);
  }
  utsname system;
  return uname(&system) == 0 ? std::string(system.machine) + " CPU" : "CPU";
}

uint32_t allowed_cpu_count() {
  // The kernel refuses a mask that is too small for the machine.
  long allowed = sysconf(_SC_NPROCESSORS_ONLN);
  for (int cpus = 1024; cpus <= 1024 * 64; cpus *= 2) {
    cpu_set_t *mask = CPU_ALLOC(cpus);
    const size_t size = CPU_ALLOC_SIZE(cpus);
    const bool is_known = mask != nullptr && sched_getaffinity(0, size, mask) == 0;
    if (is_known)
      allowed = CPU_COUNT_S(size, mask);
    CPU_FREE(mask);
    if (is_known)
      break;
  }
  const double count = std::min(std::ceil(own_limits().cpus), static_cast<double>(allowed));
  return static_cast<uint32_t>(std::max(count, 1.0));
}

uint64_t allowed_memory() {
  const uint64_t machine =
      static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  return std::min(machine, own_limits().memory);
}

} // namespace hostmetal::cpu
