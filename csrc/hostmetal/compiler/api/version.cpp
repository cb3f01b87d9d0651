#include "hostmetal/compiler/api/version.hpp"

#include "hostmetal/compiler/frontend/frontend.hpp"
#include "support/linux/build_id.hpp"

#include <llvm/Config/llvm-config.h>

#include <string>

namespace hostmetal::api {

const char *version() {
  // All the library's code and data are hashed in its build id.
  static const std::string &text = *new std::string(
      "hostmetal-compiler " +
      metalcore::build_id_of_object(reinterpret_cast<const void *>(&version)).value_or("") +
      ", LLVM " LLVM_VERSION_STRING ", " + std::string(frontend::frontend_version()));
  return text.c_str();
}

} // namespace hostmetal::api
