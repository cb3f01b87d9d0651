#pragma once

#include "hostmetal/compiler/lowering/dispatch_values.hpp"

namespace hostmetal::lowering {

/// Replaces the calls in `function` of the intrinsics through which device code reaches the
/// executor. `dispatch` stands in its entry block; `index` is thread_index_in_threadgroup. `thread`
/// is null where no thread can wait: then there are no barriers and no simdgroup operations.
void replace_intrinsic_calls(llvm::Function &function, DispatchValues &dispatch, llvm::Value *index,
                             llvm::Value *thread);

} // namespace hostmetal::lowering
