#pragma once

#include <llvm/ADT/StringRef.h>

#include <string>
#include <vector>

namespace hostmetal::codegen {

/// The address of a function of the C, math or vector math library; null for any other name.
void *host_symbol(llvm::StringRef name);

/// Files of those libraries as this process maps them, for the linker.
const std::vector<std::string> &host_libraries();

} // namespace hostmetal::codegen
