#include "hostmetal/image/code_object.hpp"
#include "hostmetal/image/image.hpp"

#include <elf.h>

namespace hostmetal::image {

const uint16_t host_elf_machine = EM_X86_64;

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

} // namespace hostmetal::image
