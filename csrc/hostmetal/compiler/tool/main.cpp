// hostmetal-metal: the offline compiler, MSL sources to one container of kernel images.
#include "hostmetal/compiler/tool/build.hpp"
#include "hostmetal/compiler/tool/options.hpp"

#include <iostream>

int main(int argc, char **argv) {
  using namespace hostmetal::tool;
  std::string error;
  Options options = parse_options(argc, argv, error);
  if (!error.empty()) {
    std::cerr << "hostmetal-metal: error: " << error << "\n" << usage;
    return 2;
  }
  bool ok = false;
  std::cerr << build(options, ok);
  return ok ? 0 : 1;
}
