#pragma once

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/StringRef.h>

namespace hostmetal::device {

/// The device library, embedded: LLVM bitcode with a definition for every builtin that is not an
/// LLVM operation. Modules do not call each other.
llvm::ArrayRef<llvm::StringRef> modules();

} // namespace hostmetal::device
