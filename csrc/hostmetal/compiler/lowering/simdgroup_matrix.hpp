#pragma once

#include <llvm/IR/Module.h>

namespace hostmetal::lowering {

/// Replaces `air.simdgroup_matrix_8x8_*`. A lane holds two elements of a matrix, the first two of
/// AIR's 64-element vector; where they are in the matrix is device/simdgroup_matrix.cpp's business.
void lower_simdgroup_matrices(llvm::Module &module);

} // namespace hostmetal::lowering
