/// What MSL forbids and C++ allows, and what later stages need to know of a translation unit.
#pragma once

#include "clang/Basic/SourceLocation.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallPtrSet.h"

#include <vector>

namespace clang {
class Decl;
class FunctionDecl;
class Sema;
class VarDecl;
} // namespace clang

namespace hostmetal::frontend {

struct UnitFindings {
  std::vector<clang::FunctionDecl *> functions; ///< the source's own, with bodies
  std::vector<clang::VarDecl *> function_constants;
  llvm::SmallPtrSet<const clang::VarDecl *, 8> asked_constants; ///< by is_function_constant_defined
  std::vector<clang::Decl *> annotated;                         ///< but for members
};

/// Section in which the code generator leaves threadgroup variables for the AIR emitter.
inline constexpr char threadgroup_section[] = "msl.threadgroup";

/// Visits `declarations` (top level and instantiated), reports what MSL forbids, and puts
/// threadgroup variables into their section.
/// `in_space` is RewrittenTokens::in_space.
UnitFindings check_unit(const std::vector<clang::Decl *> &declarations,
                        const llvm::DenseSet<clang::SourceLocation> &in_space, clang::Sema &sema);

/// To be called once the attributes were read. The code generator would make code of them, for
/// which it takes their arguments to be evaluated.
void drop_annotations(const UnitFindings &findings);

} // namespace hostmetal::frontend
