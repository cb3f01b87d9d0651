#include "hostmetal/image/host.hpp"
#include "hostmetal/image/image.hpp"
#include "support/fork.hpp"

#include <elf.h>
#include <sys/auxv.h>

namespace hostmetal::image {

const HostElf host_elf = {
    EM_AARCH64, R_AARCH64_RELATIVE, {R_AARCH64_ABS64, R_AARCH64_GLOB_DAT, R_AARCH64_JUMP_SLOT}};

std::vector<std::string> host_targets() {
  return {"aarch64"};
}

const std::string &host_identity() {
  const metalcore::fork::Section section; // the initialisation has a lock
  static const std::string &identity =
      *new std::string("aarch64 " + std::to_string(getauxval(AT_HWCAP)) + " " +
                       std::to_string(getauxval(AT_HWCAP2)));
  return identity;
}

} // namespace hostmetal::image
