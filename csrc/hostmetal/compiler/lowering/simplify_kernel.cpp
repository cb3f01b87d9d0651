#include "hostmetal/compiler/lowering/simplify_kernel.hpp"

#include "hostmetal/compiler/lowering/analysis_managers.hpp"
#include "hostmetal/compiler/lowering/recursive_functions.hpp"

#include <llvm/Transforms/IPO/GlobalDCE.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/ADCE.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/SCCP.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/Scalarizer.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>

using namespace llvm;

namespace hostmetal::lowering {

void simplify_kernel(AirKernel &kernel) {
  PassBuilder builder;
  AnalysisManagers analyses;
  analyses.register_all(builder);

  FunctionPassManager scalar;
  scalar.addPass(SROAPass(SROAOptions::ModifyCFG));
  scalar.addPass(EarlyCSEPass());
  scalar.addPass(SimplifyCFGPass());
  scalar.addPass(InstCombinePass());
  scalar.addPass(SCCPPass());
  scalar.addPass(SimplifyCFGPass());
  // Variables that a constant condition had kept in memory.
  scalar.addPass(SROAPass(SROAOptions::ModifyCFG));
  scalar.addPass(EarlyCSEPass());
  scalar.addPass(InstCombinePass());
  // Elements of vectors one by one: a lane uses two of a matrix' 64.
  scalar.addPass(ScalarizerPass({.ScalarizeVariableInsertExtract = false,
                                 .ScalarizeLoadStore = true,
                                 .ScalarizeMinBits = std::nullopt}));
  scalar.addPass(SimplifyCFGPass());
  scalar.addPass(ADCEPass());
  for (Function &function : *kernel.module)
    if (is_code_of(kernel, function))
      scalar.run(function, analyses.functions);

  ModulePassManager dead;
  dead.addPass(GlobalDCEPass());
  dead.run(*kernel.module, analyses.modules);
}

} // namespace hostmetal::lowering
