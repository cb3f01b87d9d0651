#pragma once

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/Support/Error.h>

#include <string>

namespace hostmetal::codegen {

struct ImagePart {
  llvm::StringRef object;     ///< from emit_object
  llvm::StringRef reflection; ///< image::Kernel, serialised
};

/// Links kernels into one ELF shared object that exports HM_IMAGE_SYMBOL. The same parts, in any
/// order, give the same bytes. KernelError: two kernels of one name.
llvm::Expected<std::string> link_image(llvm::ArrayRef<ImagePart> parts);

} // namespace hostmetal::codegen
