#pragma once

#include "hostmetal/compiler/compiler.h"

#include <llvm/ADT/StringRef.h>

#include <cstdlib>
#include <cstring>

namespace hostmetal::api {

/// A copy for the caller, who gives it back through free_bytes.
inline HmBytes to_bytes(llvm::StringRef text) {
  if (text.empty())
    return {nullptr, 0};
  auto *data = static_cast<uint8_t *>(std::malloc(text.size()));
  if (!data)
    return {nullptr, 0};
  std::memcpy(data, text.data(), text.size());
  return {data, text.size()};
}

inline llvm::StringRef to_text(HmView view) {
  return {static_cast<const char *>(view.data), view.size};
}

} // namespace hostmetal::api
