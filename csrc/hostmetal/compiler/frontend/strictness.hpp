/// What MSL forbids and C++ allows, and what later stages need to know of a translation unit.
#pragma once

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
};

/// Section in which the code generator leaves threadgroup variables for the AIR emitter.
inline constexpr char threadgroup_section[] = "msl.threadgroup";

/// Visits `declarations` (top level and instantiated), reports what MSL forbids, and puts
/// threadgroup variables into their section.
UnitFindings check_unit(const std::vector<clang::Decl *> &declarations, clang::Sema &sema);

} // namespace hostmetal::frontend
