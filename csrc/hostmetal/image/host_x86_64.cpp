#include "hostmetal/image/host.hpp"
#include "hostmetal/image/image.hpp"
#include "support/fork.hpp"
#include "support/request_key.hpp"
#include "support/sha256.hpp"

#include <cpuid.h>
#include <elf.h>

namespace hostmetal::image {

namespace {

/// What CPUID says of the processor and its features, without what differs between cores.
std::string read_identity() {
  metalcore::RequestKey key;
  const auto add = [&](unsigned leaf, unsigned subleaf, bool has_ebx = true) {
    unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
    __cpuid_count(leaf, subleaf, eax, ebx, ecx, edx);
    key.number(eax).number(has_ebx ? ebx : 0).number(ecx).number(edx);
    return ecx;
  };
  const auto add_if = [&](unsigned highest, unsigned leaf, unsigned subleaf) {
    if (leaf <= highest)
      add(leaf, subleaf);
  };
  const unsigned highest = __get_cpuid_max(0, nullptr);
  add(0, 0);
  // EBX of leaf 1 has the core's own number.
  const unsigned features = add(1, 0, false);
  add_if(highest, 7, 0);
  add_if(highest, 7, 1);
  if (highest >= 0xd) {
    // Only EAX is about instructions; EBX has the size of what is saved now.
    unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
    __cpuid_count(0xd, 1, eax, ebx, ecx, edx);
    key.number(eax);
  }
  add_if(highest, 0x19, 0);
  add_if(highest, 0x24, 0);
  const unsigned highest_extended = __get_cpuid_max(0x80000000, nullptr);
  add_if(highest_extended, 0x80000001, 0);
  if (highest_extended >= 0x80000008) {
    unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
    __cpuid_count(0x80000008, 0, eax, ebx, ecx, edx);
    key.number(ebx);
  }
  // The registers that the system saves.
  if (features & bit_OSXSAVE) {
    uint32_t low = 0, high = 0;
    asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    key.number(low).number(high);
  }
  return "x86-64 " + metalcore::to_hex(metalcore::sha256(key.take()));
}

} // namespace

const HostElf host_elf = {
    EM_X86_64, R_X86_64_RELATIVE, {R_X86_64_64, R_X86_64_GLOB_DAT, R_X86_64_JUMP_SLOT}};

std::vector<std::string> host_targets() {
  __builtin_cpu_init();
  std::vector<std::string> targets;
  if (__builtin_cpu_supports("x86-64-v4"))
    targets.emplace_back("x86-64-v4");
  if (__builtin_cpu_supports("x86-64-v3"))
    targets.emplace_back("x86-64-v3");
  if (__builtin_cpu_supports("x86-64-v2"))
    targets.emplace_back("x86-64-v2");
  return targets;
}

const std::string &host_identity() {
  const metalcore::fork::Section section; // the initialisation has a lock
  static const std::string &identity = *new std::string(read_identity());
  return identity;
}

} // namespace hostmetal::image
