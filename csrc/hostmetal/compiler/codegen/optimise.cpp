#include "hostmetal/compiler/codegen/optimise.hpp"

#include "hostmetal/compiler/guard/compile_guard.hpp"
#include "hostmetal/compiler/lowering/analysis_managers.hpp"

#include <llvm/Transforms/IPO/InferFunctionAttrs.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/ADCE.h>
#include <llvm/Transforms/Scalar/BDCE.h>
#include <llvm/Transforms/Scalar/CorrelatedValuePropagation.h>
#include <llvm/Transforms/Scalar/DeadStoreElimination.h>
#include <llvm/Transforms/Scalar/DivRemPairs.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/GVN.h>
#include <llvm/Transforms/Scalar/IndVarSimplify.h>
#include <llvm/Transforms/Scalar/InstSimplifyPass.h>
#include <llvm/Transforms/Scalar/JumpThreading.h>
#include <llvm/Transforms/Scalar/LICM.h>
#include <llvm/Transforms/Scalar/LoopDeletion.h>
#include <llvm/Transforms/Scalar/LoopIdiomRecognize.h>
#include <llvm/Transforms/Scalar/LoopInstSimplify.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>
#include <llvm/Transforms/Scalar/LoopRotation.h>
#include <llvm/Transforms/Scalar/LoopSimplifyCFG.h>
#include <llvm/Transforms/Scalar/LoopSink.h>
#include <llvm/Transforms/Scalar/LoopUnrollPass.h>
#include <llvm/Transforms/Scalar/MemCpyOptimizer.h>
#include <llvm/Transforms/Scalar/Reassociate.h>
#include <llvm/Transforms/Scalar/SCCP.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/Scalarizer.h>
#include <llvm/Transforms/Scalar/SimpleLoopUnswitch.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Utils/InjectTLIMappings.h>
#include <llvm/Transforms/Vectorize/LoopVectorize.h>
#include <llvm/Transforms/Vectorize/SLPVectorizer.h>
#include <llvm/Transforms/Vectorize/VectorCombine.h>

using namespace llvm;

namespace hostmetal::codegen {
namespace {

constexpr int unroll_level = 3; // what -O3 allows

template <typename... Passes> LoopPassManager loop_passes(Passes &&...passes) {
  LoopPassManager manager;
  (manager.addPass(std::forward<Passes>(passes)), ...);
  return manager;
}

void add_simplification(FunctionPassManager &passes) {
  passes.addPass(SROAPass(SROAOptions::ModifyCFG));
  passes.addPass(EarlyCSEPass(/*UseMemorySSA=*/true));
  passes.addPass(SimplifyCFGPass());
  passes.addPass(InstCombinePass());
  passes.addPass(ReassociatePass());

  // Invariants leave the loops, then conditions that are invariant do. Rotation in between makes
  // the first of them safe to compute ahead.
  passes.addPass(createFunctionToLoopPassAdaptor(
      loop_passes(LoopInstSimplifyPass(), LoopSimplifyCFGPass(), LICMPass(LICMOptions()),
                  LoopRotatePass(), LICMPass(LICMOptions()),
                  SimpleLoopUnswitchPass(/*NonTrivial=*/true)),
      /*UseMemorySSA=*/true));
  passes.addPass(SimplifyCFGPass());
  passes.addPass(InstCombinePass());
  passes.addPass(createFunctionToLoopPassAdaptor(
      loop_passes(LoopIdiomRecognizePass(), IndVarSimplifyPass(), LoopDeletionPass(),
                  LoopFullUnrollPass(unroll_level))));
  // Arrays that an unrolled loop indexes with constants become registers.
  passes.addPass(SROAPass(SROAOptions::ModifyCFG));

  passes.addPass(GVNPass());
  passes.addPass(SCCPPass());
  passes.addPass(BDCEPass());
  passes.addPass(InstCombinePass());
  passes.addPass(JumpThreadingPass());
  passes.addPass(CorrelatedValuePropagationPass());
  passes.addPass(ADCEPass());
  passes.addPass(MemCpyOptPass());
  passes.addPass(DSEPass());
  // What became invariant when memory was promoted.
  passes.addPass(createFunctionToLoopPassAdaptor(LICMPass(LICMOptions()), /*UseMemorySSA=*/true));
  // Branches become selects here: the loop vectoriser wants them so.
  passes.addPass(SimplifyCFGPass(
      SimplifyCFGOptions().convertSwitchRangeToICmp(true).hoistCommonInsts(true).sinkCommonInsts(
          true)));
  passes.addPass(InstCombinePass());
}

void add_vectorisation(FunctionPassManager &passes) {
  // The loop vectoriser takes scalars only: a loop over threads that each compute on float4 becomes
  // wider this way. What it leaves alone, the SLP vectoriser puts together again.
  passes.addPass(ScalarizerPass({.ScalarizeVariableInsertExtract = false,
                                 .ScalarizeLoadStore = true,
                                 .ScalarizeMinBits = std::nullopt}));
  passes.addPass(EarlyCSEPass());
  passes.addPass(
      createFunctionToLoopPassAdaptor(loop_passes(LoopRotatePass(), LoopDeletionPass())));
  passes.addPass(InjectTLIMappings());
  passes.addPass(LoopVectorizePass());
  passes.addPass(InstCombinePass());
  passes.addPass(SimplifyCFGPass(SimplifyCFGOptions()
                                     .forwardSwitchCondToPhi(true)
                                     .convertSwitchRangeToICmp(true)
                                     .convertSwitchToLookupTable(true)
                                     .needCanonicalLoops(false)
                                     .hoistCommonInsts(true)
                                     .sinkCommonInsts(true)));
  passes.addPass(SLPVectorizerPass());
  passes.addPass(VectorCombinePass());
  passes.addPass(InstCombinePass());
  passes.addPass(LoopUnrollPass(LoopUnrollOptions(unroll_level).setRuntime(false)));
  passes.addPass(SROAPass(SROAOptions::PreserveCFG));
  passes.addPass(InstCombinePass());
  passes.addPass(createFunctionToLoopPassAdaptor(LICMPass(LICMOptions()), /*UseMemorySSA=*/true));
  // For code generation: back to where it is used, and in its preferred forms.
  passes.addPass(LoopSinkPass());
  passes.addPass(InstSimplifyPass());
  passes.addPass(DivRemPairsPass());
  passes.addPass(SimplifyCFGPass(SimplifyCFGOptions().convertSwitchRangeToICmp(true)));
}

} // namespace

// LLVM's -O3 is made for modules of many functions that call each other. What it does between
// functions, and what it does again for the sake of C++, is left out here: a kernel is compiled
// while somebody waits for it.
void optimise(Module &module, TargetMachine &target, const TargetLibraryInfoImpl &library) {
  PassInstrumentationCallbacks callbacks;
  // Of an optimisation that takes too long, nothing is used.
  callbacks.registerShouldRunOptionalPassCallback([](StringRef, Any) { return !must_end(); });
  PassBuilder builder(&target, PipelineTuningOptions(), std::nullopt, &callbacks);
  lowering::AnalysisManagers analyses;
  // Before the builder registers its own, which knows of no vector math.
  analyses.functions.registerPass([&] { return TargetLibraryAnalysis(library); });
  analyses.register_all(builder);
  FunctionPassManager passes;
  add_simplification(passes);
  add_vectorisation(passes);
  ModulePassManager manager;
  manager.addPass(InferFunctionAttrsPass()); // of the C library's functions
  manager.addPass(createModuleToFunctionPassAdaptor(std::move(passes)));
  manager.run(module, analyses.modules);
}

} // namespace hostmetal::codegen
