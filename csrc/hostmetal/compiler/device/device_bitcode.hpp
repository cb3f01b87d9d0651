#pragma once

#include <llvm/ADT/StringRef.h>

namespace hostmetal::device {

/// The device library, embedded: LLVM bitcode with a definition for every builtin that is not an
/// LLVM operation.
llvm::StringRef bitcode();

} // namespace hostmetal::device
