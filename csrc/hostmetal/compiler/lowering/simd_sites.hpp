#pragma once

#include "hostmetal/compiler/lowering/air_kernel.hpp"

#include <llvm/Support/Error.h>

namespace hostmetal::lowering {

/// Gives every simdgroup operation its site: intrinsic::simd_exchange becomes
/// intrinsic::simd_exchange_at. Sites order what HmRuntime.simd_exchange runs first: places in the
/// order of control flow, with all of a loop before what follows it, and, of one loop, earlier
/// iterations before later ones. The highest bits hold the place at the kernel's top level; for a
/// place in a loop the next bits count the loop's iterations, the next hold the place in the loop,
/// and so on inwards. A counter that runs over its bits starts again: lanes that far apart may then
/// run in the other order, which is slower and still right. An operation in a recursive function
/// has no such place, and is an error.
llvm::Error number_simd_sites(AirKernel &kernel);

} // namespace hostmetal::lowering
