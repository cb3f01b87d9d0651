#include "hostmetal/compiler/lowering/inline_calls.hpp"

#include "hostmetal/compiler/lowering/analysis_managers.hpp"
#include "hostmetal/compiler/lowering/kernel_error.hpp"
#include "hostmetal/compiler/lowering/recursive_functions.hpp"

#include <llvm/ADT/SCCIterator.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/AliasAnalysis.h>
#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/CallGraph.h>
#include <llvm/Analysis/ProfileSummaryInfo.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/IPO/AlwaysInliner.h>
#include <llvm/Transforms/IPO/GlobalDCE.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Scalar/TailRecursionElimination.h>

using namespace llvm;

namespace hostmetal::lowering {
namespace {

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

/// The functions on the circles of the graph of calls. No call through a pointer is left in it.
SmallPtrSet<Function *, 8> functions_that_call_themselves(Module &module) {
  SmallPtrSet<Function *, 8> functions;
  CallGraph graph(module);
  for (auto component = scc_begin(&graph); !component.isAtEnd(); ++component)
    if (component.hasCycle())
      for (const CallGraphNode *node : *component)
        functions.insert(node->getFunction());
  return functions;
}

void mark(Function &function, bool is_recursive) {
  function.removeFnAttr(Attribute::OptimizeNone);
  function.setLinkage(GlobalValue::InternalLinkage);
  if (is_recursive)
    return mark_as_recursive(function);
  function.removeFnAttr(Attribute::NoInline);
  function.addFnAttr(Attribute::AlwaysInline);
}

} // namespace

Error inline_calls(AirKernel &kernel) {
  Module &module = *kernel.module;
  PassBuilder builder;
  AnalysisManagers analyses;
  analyses.register_all(builder);
  turn_last_calls_into_loops(module, analyses.functions);
  SmallPtrSet<Function *, 8> recursive = functions_that_call_themselves(module);
  if (recursive.contains(kernel.function))
    return kernel_error("The kernel \"" + kernel.reflection.name +
                        "\" calls itself, which only other functions may do.");
  kernel.function->removeFnAttr(Attribute::OptimizeNone);
  for (Function &function : module)
    if (!function.isDeclaration() && &function != kernel.function && !stays(function))
      mark(function, recursive.contains(&function));

  ModulePassManager passes;
  // Callees first: promoting all variables of all copies in one block takes quadratic time.
  passes.addPass(createModuleToFunctionPassAdaptor(SROAPass(SROAOptions::ModifyCFG)));
  passes.addPass(AlwaysInlinerPass(/*InsertLifetime=*/true));
  passes.addPass(GlobalDCEPass());
  passes.run(module, analyses.modules);
  return Error::success();
}

} // namespace hostmetal::lowering
