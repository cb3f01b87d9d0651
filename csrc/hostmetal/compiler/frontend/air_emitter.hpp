/// From clang's IR to AIR form: entry functions, metadata, address space of threadgroup variables,
/// math flags, and nothing that no kernel needs.
#pragma once

#include "hostmetal/compiler/frontend/frontend.hpp"
#include "hostmetal/compiler/frontend/function_constants.hpp"
#include "hostmetal/compiler/frontend/kernel_signature.hpp"

namespace clang {
class ASTContext;
class CodeGenerator;
} // namespace clang

namespace hostmetal::frontend {

/// Rewrites the generator's module in place and fills in `result`: bitcode, functions, constants.
void emit_air(clang::CodeGenerator &generator, const clang::ASTContext &context,
              const std::vector<KernelSignature> &kernels,
              const std::vector<DeclaredConstant> &constants, const SourceRequest &request,
              SourceResult &result);

} // namespace hostmetal::frontend
