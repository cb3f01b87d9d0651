/// A clang instance set up for MSL: language options, in-memory headers, diagnostics as text.
#pragma once

#include "llvm/ADT/IntrusiveRefCntPtr.h"
#include "llvm/Support/raw_ostream.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace clang {
class CompilerInstance;
}
namespace llvm::vfs {
class FileSystem;
}

namespace hostmetal::frontend {

/// As what clang knows the precompiled standard library.
inline constexpr char precompiled_header_path[] = "/metal/metal_stdlib.pch";
/// What the precompiled header is made of.
inline constexpr char prefix_header_path[] = "/metal/prefix.h";
inline constexpr char prefix_header_text[] = "#include <metal_stdlib>\n";

class Instance {
public:
  /// For one main file, which is prefix_header_path or comes from the caller as a buffer.
  /// `precompiled` may be empty: then only header texts are there. It must outlive the instance.
  Instance(const std::string &main_name, const std::vector<std::string> &include_paths,
           std::string_view precompiled);
  ~Instance();
  Instance(const Instance &) = delete;
  Instance &operator=(const Instance &) = delete;

  clang::CompilerInstance &compiler() { return *compiler_; }
  /// What was reported so far, in clang's form.
  std::string take_diagnostics();

private:
  std::string text_;
  llvm::raw_string_ostream stream_{text_};
  std::unique_ptr<clang::CompilerInstance> compiler_;
};

} // namespace hostmetal::frontend
