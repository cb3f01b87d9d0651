// Build-time program: writes the precompiled standard library, and a small kernel's middle form.
#include "hostmetal/compiler/frontend/embedded_library.hpp"
#include "hostmetal/compiler/frontend/frontend.hpp"
#include "hostmetal/compiler/frontend/precompiled_library.hpp"

#include <cstdio>
#include <fstream>

namespace {

constexpr char small_kernel[] = R"(#include <metal_stdlib>
using namespace metal;
[[kernel]] void warm_up(device const float *x [[buffer(0)]], device float *y [[buffer(1)]],
                        uint i [[thread_position_in_grid]]) {
  y[i] = fma(x[i], 2.0f, 1.0f);
}
)";

bool write(const char *path, std::string_view bytes) {
  std::ofstream file(path, std::ios::binary);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  file.close();
  return !bytes.empty() && file;
}

} // namespace

std::string_view hostmetal::frontend::embedded_precompiled_header() {
  return {};
}

int main(int argc, char **argv) {
  using namespace hostmetal::frontend;
  if (argc != 3) {
    std::fprintf(stderr, "usage: hostmetal-precompile <header> <kernel>\n");
    return 2;
  }
  SourceRequest request;
  request.source = small_kernel;
  const SourceResult kernel = compile_source(request);
  std::fputs(kernel.diagnostics.c_str(), stderr);
  return write(argv[1], precompiled_library()) && write(argv[2], kernel.bitcode) ? 0 : 1;
}
