#include "hostmetal/compiler/frontend/library_reader.hpp"

#include "hostmetal/compiler/frontend/instance.hpp"
#include "hostmetal/compiler/guard/compile_guard.hpp"

#include "clang/AST/ASTContext.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Lex/Preprocessor.h"
#include "clang/Serialization/ASTReader.h"

namespace hostmetal::frontend {
namespace {

class Reader : public clang::ASTReader {
public:
  using ASTReader::ASTReader;

  // SYCL would load every function of the header to check again that a device can run it.
  void ReadDeclsToCheckForDeferredDiags(llvm::SmallSetVector<clang::Decl *, 4> &) override {}

  // Asked of every name that nobody declared. Where such names nest as templates, the parser goes
  // back and asks again, exponentially often.
  bool LookupUnqualified(clang::LookupResult &, clang::Scope *) override {
    must_end_often();
    return false;
  }
};

} // namespace

bool attach_standard_library(clang::CompilerInstance &compiler) {
  clang::Preprocessor &preprocessor = compiler.getPreprocessor();
  clang::ASTContext &context = compiler.getASTContext();
  const auto reader = llvm::makeIntrusiveRefCnt<Reader>(
      preprocessor, compiler.getModuleCache(), &context, compiler.getPCHContainerReader(),
      llvm::ArrayRef<std::shared_ptr<clang::ModuleFileExtension>>());
  // The context keeps the reader alive, and knows it before it reads.
  context.setExternalSource(reader);
  if (reader->ReadAST(precompiled_header_path, clang::serialization::MK_PCH,
                      clang::SourceLocation(),
                      clang::ASTReader::ARR_None) != clang::ASTReader::Success) {
    context.setExternalSource(nullptr);
    return false;
  }
  preprocessor.setPredefines(reader->getSuggestedPredefines());
  return true;
}

} // namespace hostmetal::frontend
