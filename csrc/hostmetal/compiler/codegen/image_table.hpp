#pragma once

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/Support/Error.h>

#include <string>

namespace hostmetal::codegen {

/// One kernel of an image.
struct TableEntry {
  std::string name;
  std::string symbol; ///< its entry function, which begins as form_entry.hpp says
  llvm::StringRef reflection;
  llvm::StringRef object;
};

/// An object with HM_IMAGE_SYMBOL: the HmImage whose table holds the entries in their order.
llvm::Expected<std::string> emit_image_table(llvm::ArrayRef<TableEntry> entries);

} // namespace hostmetal::codegen
