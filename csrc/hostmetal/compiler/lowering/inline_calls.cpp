#include "hostmetal/compiler/lowering/inline_calls.hpp"

#include "hostmetal/compiler/lowering/analysis_managers.hpp"
#include "hostmetal/compiler/lowering/kernel_error.hpp"

#include <llvm/ADT/DenseSet.h>
#include <llvm/Analysis/AliasAnalysis.h>
#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/ProfileSummaryInfo.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/IPO/AlwaysInliner.h>
#include <llvm/Transforms/IPO/GlobalDCE.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Scalar/TailRecursionElimination.h>

using namespace llvm;

namespace hostmetal::lowering {
namespace {

/// Walks the calls from the kernel; a function that is met again below itself is recursive.
class CallWalk {
public:
  explicit CallWalk(StringRef kernel) : kernel_(kernel) {}

  Error visit(Function &function) {
    if (function.isDeclaration() || done_.contains(&function))
      return Error::success();
    if (!open_.insert(&function).second)
      return kernel_error("The kernel \"" + kernel_ + "\" calls \"" + demangle(function.getName()) +
                          "\", which calls itself, and this device has no recursion but "
                          "that of a last call.");
    for (Instruction &instruction : instructions(function)) {
      auto *call = dyn_cast<CallBase>(&instruction);
      if (!call || call->isInlineAsm())
        continue;
      // No call through a pointer is left.
      if (Error error = visit(*call->getCalledFunction()))
        return error;
    }
    open_.erase(&function);
    done_.insert(&function);
    return Error::success();
  }

private:
  StringRef kernel_;
  DenseSet<Function *> open_, done_;
};

/// The device library keeps few functions out of line; those call nothing.
bool stays(const Function &function) {
  return function.hasFnAttribute(Attribute::NoInline) &&
         function.getName().starts_with(intrinsic::prefix);
}

bool calls_itself(const Function &function) {
  return any_of(function.users(), [&](const User *user) {
    const auto *call = dyn_cast<CallBase>(user);
    return call && call->getFunction() == &function;
  });
}

/// `return next(n - 1);` becomes a jump, as MLX's walk over strides needs it.
void turn_last_calls_into_loops(Module &module, FunctionAnalysisManager &analyses) {
  FunctionPassManager passes;
  passes.addPass(SROAPass(SROAOptions::ModifyCFG));
  passes.addPass(SimplifyCFGPass());
  passes.addPass(TailCallElimPass());
  for (Function &function : module)
    if (calls_itself(function))
      passes.run(function, analyses);
}

void mark(Function &function) {
  function.removeFnAttr(Attribute::NoInline);
  function.removeFnAttr(Attribute::OptimizeNone);
  function.addFnAttr(Attribute::AlwaysInline);
  function.setLinkage(GlobalValue::InternalLinkage);
}

} // namespace

Error inline_calls(AirKernel &kernel) {
  Module &module = *kernel.module;
  PassBuilder builder;
  AnalysisManagers analyses;
  analyses.register_all(builder);
  turn_last_calls_into_loops(module, analyses.functions);
  CallWalk walk(kernel.reflection.name);
  if (Error error = walk.visit(*kernel.function))
    return error;
  kernel.function->removeFnAttr(Attribute::OptimizeNone);
  for (Function &function : module)
    if (!function.isDeclaration() && &function != kernel.function && !stays(function))
      mark(function);

  ModulePassManager passes;
  // Callees first: promoting all variables of all copies in one block takes quadratic time.
  passes.addPass(createModuleToFunctionPassAdaptor(SROAPass(SROAOptions::ModifyCFG)));
  passes.addPass(AlwaysInlinerPass(/*InsertLifetime=*/true));
  passes.addPass(GlobalDCEPass());
  passes.run(module, analyses.modules);
  return Error::success();
}

} // namespace hostmetal::lowering
