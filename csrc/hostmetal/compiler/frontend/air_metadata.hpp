/// AIR's description of kernels and their arguments, as named metadata.
#pragma once

#include "hostmetal/compiler/frontend/argument_buffer.hpp"
#include "hostmetal/compiler/frontend/function_constants.hpp"
#include "hostmetal/compiler/frontend/kernel_signature.hpp"

#include "clang/AST/Type.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringRef.h"

namespace clang {
class ASTContext;
}
namespace llvm {
class Function;
class LLVMContext;
class MDNode;
class Metadata;
class Module;
} // namespace llvm

namespace hostmetal::frontend {

class AirMetadata {
public:
  AirMetadata(llvm::Module &module, const clang::ASTContext &context,
              const ConstantGlobals &constants);

  /// Adds one entry function to `!air.kernel` or `!air.visible`.
  void add_function(const KernelSignature &kernel, llvm::Function &entry);
  /// Adds versions, options and the source's name.
  void add_module_facts(const SourceRequest &request);

private:
  llvm::MDNode *argument_node(const ArgumentSignature &argument, unsigned number);
  llvm::MDNode *struct_node(const clang::CXXRecordDecl &record);
  llvm::MDNode *member_node(const ArgumentMember &member);
  void add_buffer(const ArgumentSignature &argument, std::vector<llvm::Metadata *> &keys);
  void add_pointee(clang::QualType pointee, uint32_t address_space,
                   std::vector<llvm::Metadata *> &keys);
  void add_function_table(uint64_t index, uint64_t count, std::vector<llvm::Metadata *> &keys);
  void add_texture(const ArgumentSignature &argument, std::vector<llvm::Metadata *> &keys);
  void add_location(uint64_t index, uint64_t count, std::vector<llvm::Metadata *> &keys);
  llvm::Metadata *text(llvm::StringRef value);
  llvm::Metadata *integer(uint64_t value);

  llvm::Module &module_;
  llvm::LLVMContext &llvm_;
  const clang::ASTContext &context_;
  const ConstantGlobals &constants_;
  llvm::SmallPtrSet<const clang::CXXRecordDecl *, 4> open_structs_; ///< whose members are described
  size_t described_members_ = 0;                                    ///< of one argument
};

} // namespace hostmetal::frontend
