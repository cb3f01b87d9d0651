#include "hostmetal/compiler/compiler.h"
#include "hostmetal/compiler/api/kernel_calls.hpp"
#include "hostmetal/compiler/api/library_call.hpp"
#include "hostmetal/compiler/api/version.hpp"

#include <cstdlib>

extern "C" __attribute__((visibility("default"))) const HmCompiler *hostmetal_compiler(void) {
  using namespace hostmetal;
  static const HmCompiler compiler{
      .abi_version = HM_COMPILER_ABI_VERSION,
      .kernel_abi_version = HM_ABI_VERSION,
      .version = api::version(),
      .compile_library = api::compile_library,
      .compile_kernel = api::compile_kernel,
      .reflect_kernel = api::reflect_kernel,
      .load = api::load,
      .unload = api::unload,
      .link_image = api::link_image,
      .free_bytes = [](HmBytes bytes) { std::free(bytes.data); },
      .warm_up = api::warm_up,
  };
  return &compiler;
}
