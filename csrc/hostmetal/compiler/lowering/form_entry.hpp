#pragma once

#include "hostmetal/compiler/lowering/air_kernel.hpp"

namespace hostmetal::lowering {

/// Names of the entry functions: the prefix says which of HmKernelCode's two it is.
inline constexpr char row_entry_prefix[] = "hm_row_";
inline constexpr char thread_entry_prefix[] = "hm_thread_";

/// Gives the kernel its native form and takes its AIR form away. A kernel without synchronisation
/// becomes an HmRowFunction, a loop over the threads of a row, whose memory operations are marked
/// as independent of each other from thread to thread; any other, or one that calls recursive
/// functions, becomes an HmThreadFunction. Those check at their beginning that there is stack left.
/// Sets has_barriers, has_simd_operations, regroupable and is_active.
void form_entry(AirKernel &kernel);

} // namespace hostmetal::lowering
