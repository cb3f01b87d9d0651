#include "hostmetal/compiler/frontend/precompiled_library.hpp"

#include "hostmetal/compiler/frontend/embedded_library.hpp"
#include "hostmetal/compiler/frontend/instance.hpp"

#include "clang/Basic/Version.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendAction.h"
#include "clang/Serialization/ASTWriter.h"
#include "llvm/Support/ErrorHandling.h"

namespace hostmetal::frontend {
namespace {

class PrecompileAction : public clang::ASTFrontendAction {
public:
  explicit PrecompileAction(std::shared_ptr<clang::PCHBuffer> buffer)
      : buffer_(std::move(buffer)) {}

protected:
  clang::TranslationUnitKind getTranslationUnitKind() override { return clang::TU_Prefix; }

  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance &compiler,
                                                        llvm::StringRef) override {
    return std::make_unique<clang::PCHGenerator>(
        compiler.getPreprocessor(), compiler.getModuleCache(), precompiled_header_path,
        /*isysroot=*/"", buffer_, compiler.getFrontendOpts().ModuleFileExtensions,
        /*AllowASTWithErrors=*/false, /*IncludeTimestamps=*/false);
  }

private:
  std::shared_ptr<clang::PCHBuffer> buffer_;
};

// A precompiled header can be read only by the build of clang that wrote it, whose name it holds.
bool fits_this_clang(std::string_view precompiled) {
  return precompiled.find(clang::getClangFullRepositoryVersion()) != std::string_view::npos;
}

} // namespace

std::string precompile_standard_library(std::string &diagnostics) {
  Instance instance(prefix_header_path, {}, {});
  auto buffer = std::make_shared<clang::PCHBuffer>();
  PrecompileAction action(buffer);
  const bool done = instance.compiler().ExecuteAction(action);
  diagnostics = instance.take_diagnostics();
  if (!done || !buffer->IsComplete || instance.compiler().getDiagnostics().hasErrorOccurred())
    return {};
  return std::string(buffer->Data.data(), buffer->Data.size());
}

std::string_view precompiled_library() {
  static const std::string_view library = []() -> std::string_view {
    const std::string_view embedded = embedded_precompiled_header();
    if (fits_this_clang(embedded))
      return embedded;
    std::string diagnostics;
    static const std::string made = precompile_standard_library(diagnostics);
    if (made.empty())
      llvm::report_fatal_error(llvm::StringRef("metal_stdlib has errors:\n" + diagnostics));
    return made;
  }();
  return library;
}

} // namespace hostmetal::frontend
