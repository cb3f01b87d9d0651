#include "hostmetal/compiler/lowering/unknown_builtins.hpp"

#include "hostmetal/compiler/lowering/kernel_error.hpp"

#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/TargetParser/Triple.h>

#include <algorithm>
#include <iterator>

using namespace llvm;

namespace hostmetal::lowering {

Error reject_unknown_builtins(const AirKernel &kernel) {
  static constexpr StringLiteral known[] = {
      intrinsic::threadgroup_memory, intrinsic::threadgroup_barrier,
      intrinsic::simd_exchange,      intrinsic::lane,
      intrinsic::load_texel,         intrinsic::store_texel,
      intrinsic::look_up_texture,    intrinsic::log};
  TargetLibraryInfoImpl library{Triple(kernel.module->getTargetTriple())};
  for (const Function &function : *kernel.module) {
    LibFunc in_library;
    if (!function.isDeclaration() || function.isIntrinsic() || function.use_empty() ||
        is_contained(known, function.getName()) ||
        library.getLibFunc(function.getName(), in_library))
      continue;
    return kernel_error("The kernel \"" + kernel.reflection.name + "\" calls \"" +
                        demangle(function.getName()) + "\", which this device does not have.");
  }
  return Error::success();
}

} // namespace hostmetal::lowering
