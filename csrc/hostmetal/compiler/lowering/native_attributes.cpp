#include "hostmetal/compiler/lowering/native_attributes.hpp"

#include <llvm/IR/AttributeMask.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/MC/MCSubtargetInfo.h>

using namespace llvm;

namespace hostmetal::lowering {
namespace {

AttributeMask string_attributes(const AttributeSet &set) {
  AttributeMask mask;
  for (Attribute attribute : set)
    if (attribute.isStringAttribute())
      mask.addAttribute(attribute.getKindAsString());
  return mask;
}

} // namespace

void strip_foreign_attributes(AirKernel &kernel) {
  for (Function &function : *kernel.module) {
    function.removeFnAttrs(string_attributes(function.getAttributes().getFnAttrs()));
    function.setComdat(nullptr);
    for (Argument &argument : function.args())
      argument.removeAttrs(
          string_attributes(function.getAttributes().getParamAttrs(argument.getArgNo())));
    for (Instruction &instruction : instructions(function)) {
      instruction.setMetadata(LLVMContext::MD_alias_scope, nullptr);
      instruction.setMetadata(LLVMContext::MD_noalias, nullptr);
      if (auto *call = dyn_cast<CallBase>(&instruction))
        call->removeFnAttrs(string_attributes(call->getAttributes().getFnAttrs()));
    }
  }
  if (NamedMDNode *flags = kernel.module->getModuleFlagsMetadata())
    flags->eraseFromParent();
}

void set_native_attributes(AirKernel &kernel, const TargetMachine &target) {
  for (Function &function : *kernel.module) {
    if (function.isDeclaration())
      continue;
    function.addFnAttr("target-cpu", target.getTargetCPU());
    function.addFnAttr("target-features", target.getTargetFeatureString());
    function.addFnAttr("no-trapping-math", "true");
  }
}

bool processor_converts_half(const TargetMachine &target) {
  if (!target.getTargetTriple().isX86())
    return true;
  return target.getMCSubtargetInfo()->checkFeatures("+f16c");
}

} // namespace hostmetal::lowering
