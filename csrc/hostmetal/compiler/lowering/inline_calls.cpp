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
                          "\", which calls itself; Metal has no recursion.");
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

void mark(Function &function) {
  function.removeFnAttr(Attribute::NoInline);
  function.removeFnAttr(Attribute::OptimizeNone);
  function.addFnAttr(Attribute::AlwaysInline);
  function.setLinkage(GlobalValue::InternalLinkage);
}

} // namespace

Error inline_calls(AirKernel &kernel) {
  Module &module = *kernel.module;
  CallWalk walk(kernel.reflection.name);
  if (Error error = walk.visit(*kernel.function))
    return error;
  kernel.function->removeFnAttr(Attribute::OptimizeNone);
  for (Function &function : module)
    if (!function.isDeclaration() && &function != kernel.function && !stays(function))
      mark(function);

  PassBuilder builder;
  AnalysisManagers analyses;
  analyses.register_all(builder);
  ModulePassManager passes;
  // Callees first: promoting all variables of all copies in one block takes quadratic time.
  passes.addPass(createModuleToFunctionPassAdaptor(SROAPass(SROAOptions::ModifyCFG)));
  passes.addPass(AlwaysInlinerPass(/*InsertLifetime=*/true));
  passes.addPass(GlobalDCEPass());
  passes.run(module, analyses.modules);
  return Error::success();
}

} // namespace hostmetal::lowering
