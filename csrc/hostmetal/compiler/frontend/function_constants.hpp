/// Function constants: from declarations to the globals that a pipeline's values replace.
#pragma once

#include "hostmetal/compiler/frontend/frontend.hpp"
#include "hostmetal/compiler/frontend/strictness.hpp"

#include "llvm/ADT/DenseMap.h"

namespace clang {
class CodeGenerator;
}
namespace llvm {
class GlobalVariable;
class MDNode;
class Module;
} // namespace llvm

namespace hostmetal::frontend {

struct DeclaredConstant {
  const clang::VarDecl *variable = nullptr;
  FunctionConstant constant;
  std::string code; ///< ends the name of its global
};

/// Reads and checks the declarations, ordered by index, and takes MSL's annotations off them.
std::vector<DeclaredConstant> collect_function_constants(const UnitFindings &findings,
                                                         clang::Sema &sema);

/// The globals of function constants and the nodes that describe them.
class ConstantGlobals {
public:
  /// Gives every constant its global in AIR's form.
  ConstantGlobals(const std::vector<DeclaredConstant> &constants, clang::CodeGenerator &generator,
                  llvm::Module &module);

  /// The node `{ptr, type, name, index, false}`, or null if that is no function constant.
  llvm::MDNode *node(const clang::VarDecl *variable) const;
  /// Its global, or null likewise.
  llvm::GlobalVariable *global(const clang::VarDecl *variable) const;
  /// Index of the constant that this global holds; UINT32_MAX for other globals.
  uint32_t index(const llvm::GlobalVariable *global) const;

private:
  llvm::DenseMap<const clang::VarDecl *, llvm::MDNode *> nodes_;
  llvm::DenseMap<const llvm::GlobalVariable *, uint32_t> indices_;
};

} // namespace hostmetal::frontend
