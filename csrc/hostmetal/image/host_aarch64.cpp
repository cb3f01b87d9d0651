#include "hostmetal/image/code_object.hpp"
#include "hostmetal/image/host.hpp"
#include "hostmetal/image/image.hpp"

#include <elf.h>
#include <sys/auxv.h>

namespace hostmetal::image {

const uint16_t host_elf_machine = EM_AARCH64;

std::vector<std::string> host_targets() {
  return {"aarch64"};
}

const std::string &host_identity() {
  static const std::string &identity =
      *new std::string("aarch64 " + std::to_string(getauxval(AT_HWCAP)) + " " +
                       std::to_string(getauxval(AT_HWCAP2)));
  return identity;
}

} // namespace hostmetal::image
