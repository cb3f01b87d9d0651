#include "hostmetal/image/code_object.hpp"
#include "hostmetal/image/image.hpp"

#include <elf.h>

namespace hostmetal::image {

const uint16_t host_elf_machine = EM_AARCH64;

std::vector<std::string> host_targets() {
  return {"aarch64"};
}

} // namespace hostmetal::image
