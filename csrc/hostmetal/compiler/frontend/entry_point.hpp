/// Functions with AIR's parameters around functions with the C++ ABI's.
#pragma once

#include "hostmetal/compiler/frontend/kernel_signature.hpp"

namespace clang {
class CodeGenerator;
}
namespace llvm {
class Function;
class StringRef;
} // namespace llvm

namespace hostmetal::frontend {

/// One external function per host name of a kernel, in the order of the names. The kernel's own
/// function becomes the entry if it already has the right parameters and there is one name only;
/// otherwise the entries call it. A visible function keeps its own parameters: it is called from
/// code that passes them by the same ABI.
std::vector<llvm::Function *> make_entry_points(const KernelSignature &kernel,
                                                clang::CodeGenerator &generator);

} // namespace hostmetal::frontend
