// Build-time program: writes the precompiled standard library.
#include "hostmetal/compiler/frontend/embedded_library.hpp"
#include "hostmetal/compiler/frontend/precompiled_library.hpp"

#include <cstdio>
#include <fstream>

std::string_view hostmetal::frontend::embedded_precompiled_header() {
  return {};
}

int main(int argc, char **argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: hostmetal-precompile <output>\n");
    return 2;
  }
  std::string diagnostics;
  const std::string bytes = hostmetal::frontend::precompile_standard_library(diagnostics);
  std::fputs(diagnostics.c_str(), stderr);
  if (bytes.empty())
    return 1;
  std::ofstream file(argv[1], std::ios::binary);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  file.close();
  return file ? 0 : 1;
}
